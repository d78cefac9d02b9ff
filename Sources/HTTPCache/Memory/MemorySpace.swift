/// The entries of one shard of a memory cache that share a bound: a slab, and a policy of eviction.
@usableFromInline
package struct MemorySpace<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    @usableFromInline
    package struct Entry: Sendable {
        package var key: CacheKey
        /// `nil` in a free place.
        @usableFromInline package var value: Value?
        var cost: Int
    }

    /// The maximum number of bytes of all entries' costs.
    var capacity: Int
    /// The largest cost of one entry.
    var largest: Int
    /// The maximum number of entries.
    var maximumEntries = Int.max
    /// Sum of the entries' costs.
    var bytes = 0
    /// The number of entries.
    private var count = 0

    @usableFromInline package var entries: [Entry] = []
    @usableFromInline package var policy = Policy()
    private var free: [Int32] = []

    init(capacity: Int, largest: Int) {
        self.capacity = capacity
        self.largest = largest
    }

    /// Whether an entry of a cost can be in the space.
    func takes(_ cost: Int) -> Bool { cost <= largest && capacity > 0 && maximumEntries > 0 }

    /// Whether entries of a cost fit without evicting others.
    func hasRoom(for cost: Int, newEntries: Int) -> Bool {
        bytes <= capacity - cost && count <= maximumEntries - newEntries
    }

    /// Adds an entry, and returns its place.
    mutating func place(_ entry: Entry) -> Int32 {
        bytes += entry.cost
        count += 1
        if let index = free.popLast() {
            entries[Int(index)] = entry
            return index
        }
        entries.append(entry)
        return Int32(entries.count - 1)
    }

    /// Replaces the value at a place.
    ///
    /// - Returns: the old value, and the change of the cost.
    mutating func replace(_ index: Int32, _ value: Value, cost: Int) -> (old: Value?, change: Int) {
        let change = cost - entries[Int(index)].cost
        let old = entries[Int(index)].value.take()
        bytes += change
        entries[Int(index)].value = value
        entries[Int(index)].cost = cost
        policy.replace(index, cost: cost)
        return (old, change)
    }

    /// Frees a place that the policy has forgotten.
    mutating func vacate(_ index: Int32) -> Entry {
        let entry = entries[Int(index)]
        entries[Int(index)].value = nil
        bytes -= entry.cost
        count -= 1
        free.append(index)
        return entry
    }
}
