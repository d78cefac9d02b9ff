import Synchronization

/// Clients that have closed their sending side while their responses are due.
extension EventLoop {
    /// Nanoseconds between two checks while there are half-closed clients: what they hold delays others no longer than this.
    private static let halfClosedInterval: Int64 = 10_000_000

    /// Moves the next sweep forward, because a half-closed client may have to give way.
    @inline(__always)
    func sweepSoon() {
        guard configuration.halfClose == .answered else { return }
        nextSweep = min(nextSweep, now + Self.halfClosedInterval)
    }

    /// Sets the number of this loop's half-closed clients whose responses are due.
    func setHalfClosed(_ count: Int) {
        shared.halfClosed.wrappingAdd(count - halfClosedCount, ordering: .relaxed)
        halfClosedCount = count
    }

    /// Gives up the requests of half-closed clients if other clients wait, and what they need is contended.
    ///
    /// The client may be gone: FIN does not tell. That holds for responses that are due, and for those whose rest is still being
    /// downloaded. Part of each sweep.
    func endHalfClosed() {
        guard configuration.halfClose == .answered else { return setHalfClosed(0) }
        var halfClosed: [Connection] = []
        var others = 0
        for slot in slots {
            guard let connection = slot.connection else { continue }
            let isAnswering = connection.phase == .answering
            if connection.isHalfClosed, isAnswering || connection.output?.isWaiting == true {
                halfClosed.append(connection)
            } else if isAnswering {
                others += 1
            }
        }
        counters.waitingClients.store(others, ordering: .relaxed)
        setHalfClosed(halfClosed.count)
        guard !halfClosed.isEmpty, configuration.isContended(),
            shared.counters.contains(where: { $0.waitingClients.load(ordering: .relaxed) > 0 })
        else { return }
        for connection in halfClosed { end(connection) }
    }
}
