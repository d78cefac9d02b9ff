import LinuxSystem

/// What has happened to kept failures since the last transaction; bounded, one a key.
final class DiskFailures: Sendable {
    /// What the index is to do about a key.
    enum Change: Hashable, Sendable {
        case keep(KeptFailure)
        case discard
    }

    private let keptCapacity: Int
    private let discardedCapacity: Int
    private let pending = Lock<[CacheKey: Change]>([:])

    /// Creates an empty collection; what is discarded is small, and worth more than what is kept.
    init(keptCapacity: Int, discardedCapacity: Int) {
        self.keptCapacity = keptCapacity
        self.discardedCapacity = discardedCapacity
    }

    /// Notes a change in place of the key's last one; forgotten when full.
    ///
    /// - Returns: whether the writer should come and take them.
    func add(_ change: Change, for key: CacheKey) -> Bool {
        pending.withLock { pending in
            let capacity = change == .discard ? discardedCapacity : keptCapacity
            guard pending[key] != nil || pending.count < capacity else { return false }
            pending[key] = change
            return pending.count == max(1, keptCapacity / 4)
        }
    }

    /// Takes all of them.
    func drain() -> [CacheKey: Change] {
        pending.withLock { pending in
            let taken = pending
            pending = [:]
            return taken
        }
    }

    /// Puts back what could not be committed; what has come since is newer.
    func putBack(_ changes: [CacheKey: Change]) {
        pending.withLock { pending in
            for (key, change) in changes where pending[key] == nil && pending.count < discardedCapacity {
                pending[key] = change
            }
        }
    }
}
