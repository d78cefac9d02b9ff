import LinuxSystem
import Synchronization

/// Deadlines: set when a connection's state changes, checked in sweeps.
///
/// A sweep over all connections four times a second costs less than keeping deadlines sorted on every request.
extension EventLoop {
    @inline(__always)
    func setTimer(_ connection: Connection) {
        let timer = wantedTimer(connection)
        // The idle timer restarts with each response, the others when their state begins.
        guard timer != connection.timer || timer == .idle else { return }
        connection.timer = timer
        connection.deadline = timer == .none ? .max : now + duration(timer)
    }

    @inline(__always)
    private func wantedTimer(_ connection: Connection) -> Connection.Timer {
        switch connection.phase {
        case .closed: return .none
        case .answering: return connection.output?.isWaiting == false ? .write : .none
        case .lingering: return .linger
        case .reading:
            // While the output waits for its source, the client is not slow.
            if let output = connection.output { return output.isWaiting ? .none : .write }
            if connection.partial != nil { return .body }
            if !connection.input.isEmpty { return .head }
            return connection.served == 0 ? .fresh : .idle
        }
    }

    private func duration(_ timer: Connection.Timer) -> Int64 {
        let timeouts = configuration.timeouts
        let milliseconds =
            switch timer {
            case .none: 0
            case .fresh, .head: timeouts.header
            case .body: timeouts.body
            case .idle: timeouts.idle
            case .write: timeouts.write
            case .linger: timeouts.linger
            }
        return ServerTimeouts.nanoseconds(milliseconds)
    }

    /// Closes connections past their deadline, and those that delay others for too long.
    func sweep() {
        nextSweep = now + resolution
        if areListenersPaused { resumeListeners() }
        for index in slots.indices {
            guard let connection = slots[index].connection else { continue }
            if connection.deadline <= now {
                expire(connection)
            } else if let start = connection.output?.delaysOthersSince {
                hurry(connection, since: start)
            }
        }
        endHalfClosed()
        if shared.halfClosed.load(ordering: .relaxed) > 0 { sweepSoon() }
        if let deadline = drainDeadline, now >= deadline { endAll() }
    }

    /// Ends a connection whose client delays others that receive the same body, unless it has begun to just now.
    private func hurry(_ connection: Connection, since start: Int64) {
        if now - start >= GrowingFile.patience {
            counters.timedOut.addSingleWriter(1)
            end(connection)
        } else {
            // The socket's next event comes only once a third of its buffer is free: what the client reads until then counts, too.
            schedule(connection)
        }
    }

    private func expire(_ connection: Connection) {
        if connection.timer != .linger { counters.timedOut.addSingleWriter(1) }
        switch connection.timer {
        case .none: break
        case .head, .body:
            // RFC 9110 §15.5.9: only if part of a request has been received.
            refuse(connection, .timeout)
            flush(connection)
            proceed(connection)
        case .fresh, .idle, .write, .linger:
            end(connection)
        }
    }
}
