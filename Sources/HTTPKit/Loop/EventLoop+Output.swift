import Glibc
import LinuxSystem
import Synchronization

/// Writing, and closing connections.
extension EventLoop {
    /// Writes the loop's batch; what the socket does not accept stays with the connection.
    @inline(__always)
    func flush(_ connection: Connection) {
        do throws(Errno) {
            let outcome = try write(&batch, to: connection)
            if outcome != .complete { keepOutput(connection, outcome) }
        } catch {
            if let file = batch.file(of: error) { handler.fileFailed(file) }
            abandonBatch(connection)
        }
    }

    /// Writes a batch, reports the exchanges that are complete, and empties it if all of it is written.
    ///
    /// The batch is a parameter, here and in `append`, because each access to the loop's property is checked for exclusivity.
    @inline(__always)
    private func write(_ batch: inout OutputBatch, to connection: Connection) throws(Errno) -> OutputBatch.Outcome {
        guard !batch.isEmpty else { return .complete }
        let before = batch.written
        let outcome = try batch.write(to: connection.descriptor)
        counters.bytesSent.addSingleWriter(batch.written - before)
        if wantsCompletions { report(connection, &batch) }
        if outcome == .complete { batch.reset() }
        return outcome
    }

    private func keepOutput(_ connection: Connection, _ outcome: OutputBatch.Outcome) {
        for index in batch.exchanges.indices { save(&batch.exchanges[index].facts) }
        connection.output = batch
        batch = OutputBatch()
        continueLater(connection, outcome)
    }

    /// Ensures that unfinished output continues: by an event of the socket, in the next turn, or when the body has grown.
    private func continueLater(_ connection: Connection, _ outcome: OutputBatch.Outcome) {
        switch outcome {
        case .complete, .blocked: break
        case .yields: schedule(connection)
        case .waits:
            let mayContinue = connection.output?.follow { [mailbox, id = connection.id] in mailbox.post(.resume(id)) }
            if mayContinue == true { schedule(connection) }
        }
    }

    private func abandonBatch(_ connection: Connection) {
        report(connection, &batch, isAborted: true)
        batch.reset()
        end(connection)
    }

    /// Continues writing what the socket did not accept.
    func resumeOutput(_ connection: Connection) {
        guard var output = connection.output.take() else { return }
        let before = output.written
        do throws(Errno) {
            let outcome = try output.write(to: connection.descriptor)
            let progress = output.written - before
            counters.bytesSent.addSingleWriter(progress)
            if wantsCompletions { report(connection, &output) }
            // The write timeout runs from the last progress.
            if progress > 0 { connection.stopTimer() }
            if outcome != .complete {
                connection.output = output
                continueLater(connection, outcome)
            }
        } catch {
            if let file = output.file(of: error) { handler.fileFailed(file) }
            connection.output = output
            end(connection)
        }
    }

    /// Closes the sending side; further input is read and discarded.
    func beginLingering(_ connection: Connection) {
        shutdown(connection.descriptor, CInt(SHUT_WR))
        connection.input = []
        connection.partial = nil
        connection.phase = .lingering
        // Some of the rejected input may not have been signalled by an event.
        connection.mayRead = true
    }

    func drainInput(_ connection: Connection) {
        while connection.mayRead {
            do throws(Errno) {
                guard let count = try unsafe SocketCalls.receive(connection.descriptor, into: scratch) else {
                    connection.mayRead = false
                    return
                }
                connection.drained += count
                connection.isInputEnded = count == 0
            } catch {
                return end(connection)
            }
            if connection.isInputEnded || connection.drained > configuration.limits.lingeringDrain { return }
        }
    }

    /// Closes at once; unwritten responses are reported as aborted.
    func end(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        let wasAnswering = connection.phase == .answering
        connection.phase = .closed
        if var output = connection.output.take() { report(connection, &output, isAborted: true) }
        if wasAnswering, wantsCompletions {
            // 499 is only logged: the client disconnected before its response.
            let end = configuration.time.monotonic
            report(connection, connection.waiting, 499, 0, 0, end, false)
        }
        let cancel = connection.pending?.onCancel
        connection.pending = nil
        close(connection.descriptor)
        counters.closed.addSingleWriter(1)
        shared.open.wrappingSubtract(1, ordering: .relaxed)
        if let account = connection.account { configuration.accounts.add(-1, .connections, to: account) }
        connectionCount -= 1
        // A loop without connections makes no sweeps.
        if connectionCount == 0 {
            counters.waitingClients.store(0, ordering: .relaxed)
            setHalfClosed(0)
        }
        let slot = Int(connection.id.slot)
        slots[slot].connection = nil
        slots[slot].generation &+= 1
        freeSlots.append(connection.id.slot)
        cancel?()
    }
}
