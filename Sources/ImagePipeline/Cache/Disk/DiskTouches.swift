import LinuxSystem

/// Uses that readers have seen and the index does not know yet; bounded, one a key.
final class DiskTouches: Sendable {
    /// What was used.
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

    /// Notes a use; forgotten when full, which costs exactness of the order and nothing else.
    ///
    /// - Returns: whether the writer should come and take them.
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

    /// Takes all of them.
    func drain() -> [Target: DiskIndex.Use] {
        pending.withLock { pending in
            let taken = pending
            pending = [:]
            return taken
        }
    }
}
