import CLinux
import LinuxSystem

/// The graceful end.
extension EventLoop {
    /// How long a connection that has not sent anything yet is waited for.
    private static let freshGrace: Int64 = 1_000_000_000
    /// How long handshakes and requests that are on their way already are waited for: a round trip and more.
    private static let flightTime: Int64 = 100_000_000

    /// Stops accepting, closes what is idle, lets the rest finish until `deadline`.
    ///
    /// A client must never be let in and then be reset. So TCP listeners first ignore new SYNs, which clients repeat after a
    /// second, and close when the handshakes under way have come in; and kept connections close when a request that was
    /// sent before has had the time to arrive.
    func drain(_ deadline: Int64) {
        let isFirst = drainDeadline == nil
        drainDeadline = min(deadline, drainDeadline ?? .max)
        guard isFirst else { return }
        if areListenersPaused { resumeListeners() }
        let flightEnd = min(now + Self.flightTime, deadline)
        for index in listeners.indices {
            if let listener = listeners[index], listener.isOwnTCP,
                edge_ignore_new_connections(listener.descriptor.number) == 0
            {
                listenersEnd = flightEnd
            } else {
                closeListener(index)
            }
        }
        for slot in slots.indices {
            guard let connection = slots[slot].connection, connection.takesRequests else { continue }
            // A request may be there whose event has not been seen yet.
            connection.mayRead = true
            proceed(connection)
            switch connection.timer {
            case .idle: connection.deadline = min(connection.deadline, flightEnd)
            case .fresh: connection.deadline = min(connection.deadline, now + Self.freshGrace)
            default: break
            }
        }
        nextSweep = min(nextSweep, flightEnd)
    }

    /// Closes the listeners that were left open for handshakes under way, when their time is over.
    func closeListenersIfDue() {
        guard let end = listenersEnd, now >= end else { return }
        listenersEnd = nil
        for index in listeners.indices { closeListener(index) }
    }

    private func closeListener(_ index: Int) {
        // Who has connected in time is still served.
        var rounds = 0
        while rounds < 64, acceptConnections(index) { rounds += 1 }
        if let listener = listeners[index] { forget(listener) }
        listeners[index] = nil
    }

    func endAll() {
        for index in slots.indices {
            if let connection = slots[index].connection { end(connection) }
        }
    }
}
