import Synchronization

/// Clients that have closed their sending side while their responses are due.
extension EventLoop {
    /// Gives up the requests of half-closed clients if other clients wait, and what they need is contended.
    ///
    /// The client may be gone: FIN does not tell. Part of each sweep.
    func endHalfClosed() {
        guard configuration.halfClose == .answered else { return }
        var halfClosed: [Connection] = []
        var others = 0
        for slot in slots {
            guard let connection = slot.connection, connection.phase == .answering else { continue }
            if connection.isHalfClosed { halfClosed.append(connection) } else { others += 1 }
        }
        counters.waitingClients.store(others, ordering: .relaxed)
        guard !halfClosed.isEmpty, configuration.isContended(),
            shared.counters.contains(where: { $0.waitingClients.load(ordering: .relaxed) > 0 })
        else { return }
        for connection in halfClosed { end(connection) }
    }
}
