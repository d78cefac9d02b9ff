/// One part of a memory cache: a slab of entries, a map from key to slot, and a policy; a value that its owner locks.
struct MemoryShard<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    private struct Entry: Sendable {
        var key: CacheKey
        /// `nil` in a free slot.
        var value: Value?
        var cost: Int
    }

    /// Bytes that the entries' costs may add up to.
    private(set) var capacity: Int
    /// The largest cost of one entry.
    private(set) var largest: Int

    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var slots: [CacheKey: Int32] = [:]
    private var policy = Policy()
    private(set) var statistics = MemoryStatistics()

    /// Creates an empty part.
    init(capacity: Int, largest: Int) {
        self.capacity = capacity
        self.largest = largest
    }

    /// The value, which counts as used now.
    mutating func value(for key: CacheKey) -> Value? {
        guard let slot = slots[key] else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        policy.use(slot)
        return entries[Int(slot)].value
    }

    /// Puts a value in place of the key's old one and makes room for it.
    ///
    /// Values that go are moved to `dropped`, so that their last owner lets go outside of the lock.
    mutating func insert(_ value: Value, for key: CacheKey, cost: Int, dropped: inout [Value]) -> Bool {
        remove(key, dropped: &dropped)
        guard cost <= largest, capacity > 0 else {
            statistics.refusals += 1
            return false
        }
        makeRoom(for: cost, dropped: &dropped)
        let slot = place(Entry(key: key, value: value, cost: cost))
        slots[key] = slot
        policy.insert(slot)
        statistics.bytes += cost
        statistics.entries += 1
        return true
    }

    /// Gives the part other bounds; what is over them goes, least recently used first.
    mutating func resize(capacity: Int, largest: Int, dropped: inout [Value]) {
        self.capacity = capacity
        self.largest = largest
        makeRoom(for: 0, dropped: &dropped)
    }

    private mutating func makeRoom(for cost: Int, dropped: inout [Value]) {
        while statistics.bytes > capacity - cost, let victim = policy.victim() {
            drop(victim, dropped: &dropped)
            statistics.evictions += 1
        }
    }

    /// Drops the key's entry.
    mutating func remove(_ key: CacheKey, dropped: inout [Value]) {
        guard let slot = slots[key] else { return }
        drop(slot, dropped: &dropped)
    }

    /// Drops every entry that `condition` names.
    mutating func removeAll(where condition: (CacheKey, Value) -> Bool, dropped: inout [Value]) {
        for slot in entries.indices {
            guard let value = entries[slot].value, condition(entries[slot].key, value) else { continue }
            drop(Int32(slot), dropped: &dropped)
        }
    }

    /// How many entries `condition` names.
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
        let index = Int(slot)
        slots[entries[index].key] = nil
        policy.remove(slot)
        statistics.bytes -= entries[index].cost
        statistics.entries -= 1
        if let value = entries[index].value.take() { dropped.append(value) }
        free.append(slot)
    }
}
