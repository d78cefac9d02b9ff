import LinuxSystem

/// Originals that have been received but are not on disk yet; variants use them instead of fetching the original again.
///
/// Its size is bounded by the disk's write queue; any thread.
package final class RecentOriginals: Sendable {
    package struct Recent: Sendable {
        package var record: OriginRecord
        package var body: OriginBody
        /// Distinguishes successive versions of an original.
        fileprivate var number: Int
    }

    private struct State: Sendable {
        var originals: [CacheKey: Recent] = [:]
        var lastNumber = 0
    }

    private let state = Lock(State())

    /// Creates an empty collection.
    package init() {}

    /// Returns an original that is not on disk yet.
    package func find(_ key: CacheKey) -> Recent? { state.withLock { $0.originals[key] } }

    /// Stores an original on disk and retains it until it is committed; it is not retained if the disk rejects it.
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

    /// Removes the originals that a purge selects, or marks them as stale.
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
