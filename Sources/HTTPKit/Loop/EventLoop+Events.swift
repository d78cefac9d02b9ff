import CLinux
import Glibc
import LinuxSystem

/// The events of a connection: from epoll, from other threads and from the loop itself.
extension EventLoop {
    func handle(_ flags: UInt32, _ userData: UInt64) {
        let id = ConnectionID(userData: userData)
        if id.slot >= Self.firstListenerSlot {
            if id.slot != Self.wakeSlot { acceptConnections(Int(id.slot - Self.firstListenerSlot)) }
            return
        }
        guard let connection = connection(id) else { return }
        if flags & (edge_EPOLLERR | edge_EPOLLHUP) != 0 {
            // A reset, or both directions closed: a response could not be delivered.
            return end(connection)
        }
        if flags & edge_EPOLLRDHUP != 0, !connection.isHalfClosed {
            connection.isHalfClosed = true
            sweepSoon()
        }
        if flags & (edge_EPOLLIN | edge_EPOLLRDHUP) != 0 { connection.mayRead = true }
        if flags & edge_EPOLLOUT != 0, connection.output != nil { resumeOutput(connection) }
        proceed(connection)
    }

    /// Does all work that is possible for a connection now, then closes it or sets its timer.
    func proceed(_ connection: Connection) {
        owner.assertCurrent()
        if connection.phase == .reading { readRequests(connection) }
        if connection.phase == .lingering { drainInput(connection) }
        settle(connection)
    }

    /// Closes the connection if its state requires it: the last step of every transition, and the only place that decides.
    @inline(__always)
    private func settle(_ connection: Connection) {
        switch connection.end(configuration.halfClose, drainLimit: configuration.limits.lingeringDrain) {
        case .open:
            setTimer(connection)
        case .close:
            end(connection)
        case .linger:
            beginLingering(connection)
            proceed(connection)
        }
    }

    func receive(_ message: LoopMessage) {
        switch message {
        case .complete(let id, let sequence, let response):
            fulfil(id, sequence) { _ in response }
        case .interim(let id, let sequence, let status, let fields):
            inform(id, sequence, status, fields)
        case .abandoned(let id, let sequence):
            fulfil(id, sequence) { loop in loop.handler.reject(.abandoned) }
        case .resume(let id):
            guard let connection = connection(id) else { return }
            if connection.output != nil { resumeOutput(connection) }
            proceed(connection)
        case .ping(let completion):
            completion()
        case .adjust(let timeouts, let connections, let halfClose):
            configuration.timeouts = timeouts
            configuration.maximumConnections = connections.total
            configuration.maximumConnectionsPerClient = connections.perClient
            configuration.halfClose = halfClose
        case .drain(let deadline, let leavesListeners):
            drain(deadline, leavesListeners: leavesListeners)
        }
    }

    private func fulfil(_ id: ConnectionID, _ sequence: UInt32, _ response: (EventLoop) -> Response) {
        guard let connection = connection(id), connection.phase == .answering, connection.sequence == sequence else {
            return
        }
        connection.pending = nil
        connection.phase = .reading
        let facts = connection.waiting
        connection.waiting = ExchangeFacts()
        // Unwritten output of earlier responses comes first; the loop's own batch is empty between events.
        if let output = connection.output.take() { batch = output }
        answer(connection, response(self), facts)
        flush(connection)
        proceed(connection)
    }

    /// Writes an interim response; drops it if the response has been sent, or if the client's version has none.
    private func inform(_ id: ConnectionID, _ sequence: UInt32, _ status: UInt16, _ fields: [UInt8]) {
        guard let connection = connection(id), connection.phase == .answering, connection.sequence == sequence,
            // RFC 9110 §15.2: never to a client of HTTP/1.0.
            connection.waiting.minorVersion > 0
        else { return }
        // As for a response, earlier output comes first.
        if let output = connection.output.take() { batch = output }
        let start = batch.heads.count
        encoder.encode(interim: status, fields, into: &batch.heads)
        batch.appendHead(from: start)
        flush(connection)
        proceed(connection)
    }

    /// Schedules a connection for the next turn of the loop, after the others.
    func schedule(_ connection: Connection) {
        guard !connection.isScheduled else { return }
        connection.isScheduled = true
        scheduled.append(connection.id)
    }

    func resumeScheduled() {
        let ids = scheduled
        scheduled.removeAll(keepingCapacity: true)
        for id in ids {
            guard let connection = connection(id) else { continue }
            connection.isScheduled = false
            if connection.output != nil { resumeOutput(connection) }
            proceed(connection)
        }
    }
}
