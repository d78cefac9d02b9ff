/// Which entry of a bounded cache goes next, over slot numbers: knows no keys or values, but what an entry costs.
///
/// A cache tells it what happens to its slots and has it choose who goes; every operation is O(1), amortised, and allocates
/// only when the slab grows. To exchange the policy, name another type in `MemoryCache.Policy`; `Benchmarks/CacheReplay`
/// compares them.
package protocol EvictionPolicy: Sendable {
    /// Creates a policy without slots.
    init()
    /// `slot` now holds a new entry; slots are dense and reused.
    ///
    /// - Parameters:
    ///   - fingerprint: of the entry's key, uniformly distributed, by which the key is known again once it is gone.
    ///   - cost: bytes.
    mutating func insert(_ slot: Int32, fingerprint: UInt64, cost: Int)
    /// The entry in `slot` was asked for.
    mutating func use(_ slot: Int32)
    /// The entry in `slot` has another value now, of this cost; it keeps its rank.
    mutating func replace(_ slot: Int32, cost: Int)
    /// The entry in `slot` is taken away by somebody else's will.
    mutating func remove(_ slot: Int32)
    /// Chooses the entry that goes now and forgets its slot; `nil` when there is none.
    mutating func evict() -> Int32?
}
