import CLinux
import LinuxSystem

/// Graceful shutdown.
extension EventLoop {
    /// How long to wait for a connection that has not sent anything yet, in nanoseconds.
    private static let freshGrace: Int64 = 1_000_000_000
    /// How long to wait for handshakes and requests in flight, in nanoseconds: more than a round trip.
    private static let flightTime: Int64 = 100_000_000

    /// Stops accepting, closes idle connections, and lets the others finish until `deadline`.
    ///
    /// No client may be accepted and then reset. So TCP listeners first ignore new SYNs, which clients repeat after a second, and
    /// close once the handshakes in flight have completed. Idle connections close once a request already on its way has had the
    /// time to arrive.
    ///
    /// With `leavesListeners`, another process accepts from the same sockets: what arrives from now on is left to it. What has connected
    /// already is served here: at a stop, or for an address that is no longer configured, that process does not exist.
    func drain(_ deadline: Int64, leavesListeners: Bool) {
        let isFirst = drainDeadline == nil
        drainDeadline = min(deadline, drainDeadline ?? .max)
        guard isFirst else { return }
        if areListenersPaused { resumeListeners() }
        let flightEnd = min(now + Self.flightTime, deadline)
        for index in listeners.indices {
            if !leavesListeners, let listener = listeners[index], listener.isOwnTCP,
                edge_ignore_new_connections(listener.descriptor.number) == 0
            {
                listenersEnd = flightEnd
            } else {
                closeListener(index)
            }
        }
        for slot in slots.indices {
            guard let connection = slots[slot].connection, connection.takesRequests else { continue }
            // A request may have arrived whose event has not been handled yet.
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

    /// Closes the listeners left open for handshakes in flight when their time is over.
    func closeListenersIfDue() {
        guard let end = listenersEnd, now >= end else { return }
        listenersEnd = nil
        for index in listeners.indices { closeListener(index) }
    }

    private func closeListener(_ index: Int) {
        // Accept what has connected in time.
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
