import HTTPCache
import LinuxSystem

/// What purges of the log have removed on this node, for the requests that caused them; any thread.
///
/// A purge may be applied before or after its request knows its sequence, so that outcomes and requests wait for each other.
final class PurgeOutcomes: Sendable {
    private enum Entry {
        case done(PurgeCounts)
        case awaited(@Sendable (PurgeCounts) -> Void)
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// The sequences of outcomes, oldest first.
        var done = RingQueue<UInt64>()
        /// Outcomes up to here that are not among the entries are not kept any more, or do not exist.
        var floor: UInt64 = 0
    }

    /// The outcomes kept for requests that do not know their sequence yet; most purges are those of other nodes.
    private static let capacity = 1_024
    private let state = Lock(State())

    /// Records what the purge with a sequence has removed.
    func finish(_ sequence: UInt64, _ counts: PurgeCounts) {
        let waiter = state.withLock { state -> (@Sendable (PurgeCounts) -> Void)? in
            if case .awaited(let waiter) = state.entries[sequence] {
                state.entries[sequence] = nil
                return waiter
            }
            state.entries[sequence] = .done(counts)
            state.done.append(sequence)
            while state.done.count > Self.capacity, let oldest = state.done.popFirst() {
                if case .done = state.entries[oldest] { state.entries[oldest] = nil }
                state.floor = max(state.floor, oldest)
            }
            return nil
        }
        waiter?(counts)
    }

    /// Calls back with what the purge with a sequence has removed, once, when that is known; with zeros if it is no longer known.
    func take(_ sequence: UInt64, _ completion: @escaping @Sendable (PurgeCounts) -> Void) {
        let counts = state.withLock { state -> PurgeCounts? in
            if case .done(let counts) = state.entries[sequence] {
                state.entries[sequence] = nil
                return counts
            }
            guard sequence > state.floor else { return PurgeCounts() }
            state.entries[sequence] = .awaited(completion)
            return nil
        }
        if let counts { completion(counts) }
    }

    /// Completes requests for purges that are not applied one by one: after a gap, everything is validated instead.
    func passOver(upTo sequence: UInt64) {
        let waiters = state.withLock { state -> [@Sendable (PurgeCounts) -> Void] in
            var waiters: [@Sendable (PurgeCounts) -> Void] = []
            state.floor = max(state.floor, sequence)
            for (key, entry) in state.entries where key <= sequence {
                guard case .awaited(let waiter) = entry else { continue }
                waiters.append(waiter)
                state.entries[key] = nil
            }
            return waiters
        }
        for waiter in waiters { waiter(PurgeCounts()) }
    }
}
