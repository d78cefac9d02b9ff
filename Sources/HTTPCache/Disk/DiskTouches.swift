import LinuxSystem

/// Uses of entries that the index does not have yet: one per key, in a bounded number.
final class DiskTouches: Sendable {
    /// The entry used.
    struct Target: Hashable, Sendable {
        var diskClass: DiskClass
        var key: CacheKey
    }

    private let capacity: Int
    private let pending = Lock<[Target: DiskIndex.Use]>([:])

    /// Creates an empty collection.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Records a use; dropped when full, which only makes the eviction order less exact.
    ///
    /// - Returns: whether to wake the writer.
    func add(_ diskClass: DiskClass, _ key: CacheKey, use: DiskIndex.Use) -> Bool {
        let target = Target(diskClass: diskClass, key: key)
        return pending.withLock { pending in
            if let known = pending[target] {
                if known.order < use.order { pending[target] = use }
                return false
            }
            guard pending.count < capacity else { return false }
            pending[target] = use
            return pending.count == max(1, capacity / 4)
        }
    }

    /// Removes and returns all.
    func drain() -> [Target: DiskIndex.Use] {
        pending.withLock { pending in
            let taken = pending
            pending = [:]
            return taken
        }
    }
}
