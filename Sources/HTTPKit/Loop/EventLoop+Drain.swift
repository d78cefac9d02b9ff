/// The graceful end.
extension EventLoop {
    /// How long a connection that has not sent anything yet is waited for.
    private static let freshGrace: Int64 = 1_000_000_000

    /// Stops accepting, closes what is idle, lets the rest finish until `deadline`.
    func drain(_ deadline: Int64) {
        let isFirst = drainDeadline == nil
        drainDeadline = min(deadline, drainDeadline ?? .max)
        guard isFirst else { return }
        if areListenersPaused { resumeListeners() }
        for index in listeners.indices {
            // Who has connected in time is still served.
            var rounds = 0
            while rounds < 64, acceptConnections(index) { rounds += 1 }
            if let listener = listeners[index] { forget(listener) }
            listeners[index] = nil
        }
        for slot in slots.indices {
            guard let connection = slots[slot].connection, connection.takesRequests else { continue }
            // A request may be there whose event has not been seen yet.
            connection.mayRead = true
            proceed(connection)
            switch connection.timer {
            case .idle: end(connection)
            case .fresh: connection.deadline = min(connection.deadline, now + Self.freshGrace)
            default: break
            }
        }
    }

    func endAll() {
        for index in slots.indices {
            if let connection = slots[index].connection { end(connection) }
        }
    }
}
