import LinuxSystem

/// Originals that have come and wait to be on disk: until then a second variant finds them here instead of asking the origin again.
///
/// Holds what the disk's write queue holds, and is bounded by its bound; any thread.
package final class RecentOriginals: Sendable {
    package struct Recent: Sendable {
        package var record: OriginRecord
        package var body: OriginBody
        /// Tells one coming of an original from the next.
        fileprivate var number: Int
    }

    private struct State: Sendable {
        var originals: [CacheKey: Recent] = [:]
        var lastNumber = 0
    }

    private let state = Lock(State())

    /// Creates an empty collection.
    package init() {}

    /// The original, if it waits.
    package func find(_ key: CacheKey) -> Recent? { state.withLock { $0.originals[key] } }

    /// Stores an original, keeping it at hand until it is committed; not when the disk does not take it.
    package func store(_ record: OriginRecord, _ body: OriginBody, on disk: any DiskStoring) {
        let key = record.key
        let number = state.withLock { state in
            state.lastNumber += 1
            state.originals[key] = Recent(record: record, body: body, number: state.lastNumber)
            return state.lastNumber
        }
        guard disk.store(origin: record, body: body) else { return remove(key, number) }
        disk.flush { [weak self] in self?.remove(key, number) }
    }

    /// Forgets what a purge is about, or lets it count as stale.
    package func purge(_ purge: Purge) {
        state.withLock { state in
            for (key, recent) in state.originals {
                guard purge.selection.covers(PurgeSubject(recent.record)) == true else { continue }
                if let time = purge.staleFrom {
                    state.originals[key]?.record.expire(at: time)
                } else {
                    state.originals[key] = nil
                }
            }
        }
    }

    private func remove(_ key: CacheKey, _ number: Int) {
        state.withLock { state in
            if state.originals[key]?.number == number { state.originals[key] = nil }
        }
    }
}
