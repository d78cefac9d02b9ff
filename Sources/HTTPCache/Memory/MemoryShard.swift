/// One shard of a memory cache: a slab of entries, a map from key to slot, and a policy.
///
/// Its owner locks it.
package struct MemoryShard<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    package struct Entry: Sendable {
        package var key: CacheKey
        /// `nil` in a free slot.
        package var value: Value?
        var cost: Int
    }

    /// The maximum number of bytes of all entries' costs.
    package private(set) var capacity: Int
    /// The largest cost of one entry.
    package private(set) var largest: Int
    /// The maximum number of entries.
    package private(set) var maximumEntries = Int.max

    package private(set) var entries: [Entry] = []
    private var free: [Int32] = []
    package private(set) var slots: [CacheKey: Int32] = [:]
    package var policy = Policy()
    package var statistics = MemoryStatistics()

    /// Creates an empty shard.
    package init(capacity: Int, largest: Int) {
        self.capacity = capacity
        self.largest = largest
    }

    /// The value of a key, or `nil`; counts as a use.
    @inlinable
    package mutating func value(for key: CacheKey) -> Value? {
        guard let slot = slots[key] else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        policy.use(slot)
        return entries[Int(slot)].value
    }

    /// Whether the key has a value that meets a condition; does not count as a use.
    func contains(_ key: CacheKey, where condition: (Value) -> Bool) -> Bool {
        guard let slot = slots[key] else { return false }
        return entries[Int(slot)].value.map(condition) ?? false
    }

    /// The value of a key, or `nil`; counts neither as a use nor in the statistics.
    package func peek(_ key: CacheKey) -> Value? { slots[key].flatMap { entries[Int($0)].value } }

    /// Stores a value in place of the key's old one, with its rank, and evicts others to make room.
    ///
    /// Evicted values are moved to `dropped`, so that they are freed outside the lock.
    package mutating func insert(_ value: Value, for key: CacheKey, cost: Int, dropped: inout [Value]) -> Bool {
        guard cost <= largest, capacity > 0, maximumEntries > 0 else {
            remove(key, dropped: &dropped)
            statistics.refusals += 1
            return false
        }
        if let slot = slots[key] {
            replace(slot, value, cost: cost, dropped: &dropped)
            makeRoom(for: 0, dropped: &dropped)
            return slots[key] != nil
        }
        makeRoom(for: cost, newEntries: 1, dropped: &dropped)
        let slot = place(Entry(key: key, value: value, cost: cost))
        slots[key] = slot
        policy.insert(slot, fingerprint: key.words.1, cost: cost)
        statistics.bytes += cost
        statistics.entries += 1
        return true
    }

    private mutating func replace(_ slot: Int32, _ value: Value, cost: Int, dropped: inout [Value]) {
        let index = Int(slot)
        if let old = entries[index].value { dropped.append(old) }
        statistics.bytes += cost - entries[index].cost
        entries[index].value = value
        entries[index].cost = cost
        policy.replace(slot, cost: cost)
    }

    /// Changes the bounds, and evicts down to them.
    package mutating func resize(capacity: Int, largest: Int, dropped: inout [Value]) {
        self.capacity = capacity
        self.largest = largest
        makeRoom(for: 0, dropped: &dropped)
    }

    /// Changes the maximum number of entries, and evicts down to it.
    package mutating func setMaximumEntries(_ count: Int, dropped: inout [Value]) {
        maximumEntries = count
        makeRoom(for: 0, dropped: &dropped)
    }

    private mutating func makeRoom(for cost: Int, newEntries: Int = 0, dropped: inout [Value]) {
        while statistics.bytes > capacity - cost || statistics.entries > maximumEntries - newEntries,
            let victim = policy.evict()
        {
            vacate(victim, dropped: &dropped)
            statistics.evictions += 1
        }
    }

    /// Drops the key's entry.
    package mutating func remove(_ key: CacheKey, dropped: inout [Value]) {
        guard let slot = slots[key] else { return }
        drop(slot, dropped: &dropped)
    }

    /// Drops the entries for which `condition` is true.
    package mutating func removeAll(where condition: (CacheKey, Value) -> Bool, dropped: inout [Value]) {
        for slot in entries.indices {
            guard let value = entries[slot].value, condition(entries[slot].key, value) else { continue }
            drop(Int32(slot), dropped: &dropped)
        }
    }

    /// The number of entries for which `condition` is true.
    func count(where condition: (CacheKey, Value) -> Bool) -> Int {
        entries.count { entry in entry.value.map { condition(entry.key, $0) } ?? false }
    }

    private mutating func place(_ entry: Entry) -> Int32 {
        if let slot = free.popLast() {
            entries[Int(slot)] = entry
            return slot
        }
        entries.append(entry)
        return Int32(entries.count - 1)
    }

    private mutating func drop(_ slot: Int32, dropped: inout [Value]) {
        policy.remove(slot)
        vacate(slot, dropped: &dropped)
    }

    /// Frees a slot that the policy has forgotten.
    private mutating func vacate(_ slot: Int32, dropped: inout [Value]) {
        let index = Int(slot)
        slots[entries[index].key] = nil
        statistics.bytes -= entries[index].cost
        statistics.entries -= 1
        if let value = entries[index].value.take() { dropped.append(value) }
        free.append(slot)
    }
}
