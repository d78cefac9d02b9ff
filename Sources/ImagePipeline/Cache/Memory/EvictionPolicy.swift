/// Which entry of a bounded cache goes first, over slot numbers: knows no keys, values or bytes.
///
/// A cache tells it what happens to its slots and asks it for a victim; every operation is O(1), amortised, and allocates only
/// when the slab grows. To exchange the policy, name another type in `MemoryCache.Policy`.
protocol EvictionPolicy: Sendable {
    /// Creates a policy without slots.
    init()
    /// `slot` now holds a new entry; slots are dense and reused.
    mutating func insert(_ slot: Int32)
    /// The entry in `slot` was asked for.
    mutating func use(_ slot: Int32)
    /// The entry in `slot` is gone.
    mutating func remove(_ slot: Int32)
    /// The slot whose entry should go now; it stays until `remove`. `nil` when there is none.
    mutating func victim() -> Int32?
}
