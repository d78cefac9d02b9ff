/// One shard of a memory cache: a map from keys to entries, which are in one space or more.
///
/// The first space is the one of all namespaces without a share of their own; entries are evicted for others of their own space
/// only. Its owner locks it.
@usableFromInline
package struct MemoryShard<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    package typealias Entry = MemorySpace<Value, Policy>.Entry

    /// Where an entry is.
    @usableFromInline
    package struct Slot: Sendable {
        @usableFromInline package var space: Int32
        @usableFromInline package var index: Int32
    }

    @usableFromInline package var spaces: [MemorySpace<Value, Policy>]
    @usableFromInline package private(set) var slots: [CacheKey: Slot] = [:]
    @usableFromInline package var statistics = MemoryStatistics()

    /// Creates an empty shard with one space.
    package init(capacity: Int, largest: Int) {
        spaces = [MemorySpace(capacity: capacity, largest: largest)]
    }

    /// The policy of the first space.
    package var policy: Policy { spaces[0].policy }

    /// The value of a key, or `nil`; counts as a use.
    @inlinable
    package mutating func value(for key: CacheKey) -> Value? {
        guard let slot = slots[key] else {
            statistics.misses += 1
            return nil
        }
        statistics.hits += 1
        spaces[Int(slot.space)].policy.use(slot.index)
        return spaces[Int(slot.space)].entries[Int(slot.index)].value
    }

    /// Whether the key has a value that meets a condition; does not count as a use.
    func contains(_ key: CacheKey, where condition: (Value) -> Bool) -> Bool { peek(key).map(condition) ?? false }

    /// The value of a key, or `nil`; counts neither as a use nor in the statistics.
    package func peek(_ key: CacheKey) -> Value? {
        slots[key].flatMap { spaces[Int($0.space)].entries[Int($0.index)].value }
    }

    /// Stores a value in place of the key's old one, with its rank, and evicts others of its space to make room.
    ///
    /// Evicted values are moved to `dropped`, so that they are freed outside the lock.
    package mutating func insert(
        _ value: Value,
        for key: CacheKey,
        cost: Int,
        in space: Int = 0,
        dropped: inout [Value]
    ) -> Bool {
        guard spaces[space].takes(cost) else {
            remove(key, dropped: &dropped)
            statistics.refusals += 1
            return false
        }
        if let slot = slots[key], Int(slot.space) != space { drop(slot, dropped: &dropped) }
        if let slot = slots[key] {
            let (old, change) = spaces[space].replace(slot.index, value, cost: cost)
            if let old { dropped.append(old) }
            statistics.bytes += change
            makeRoom(for: 0, in: space, dropped: &dropped)
            return slots[key] != nil
        }
        makeRoom(for: cost, newEntries: 1, in: space, dropped: &dropped)
        let index = spaces[space].place(Entry(key: key, value: value, cost: cost))
        slots[key] = Slot(space: Int32(space), index: index)
        spaces[space].policy.insert(index, fingerprint: key.words.1, cost: cost)
        statistics.bytes += cost
        statistics.entries += 1
        return true
    }

    /// Changes the bounds of a space, which is created if it is the next one, and evicts down to them.
    ///
    /// A space without capacity becomes empty.
    package mutating func resize(_ space: Int = 0, capacity: Int, largest: Int, dropped: inout [Value]) {
        if space == spaces.count {
            spaces.append(MemorySpace(capacity: capacity, largest: largest))
        }
        spaces[space].capacity = capacity
        spaces[space].largest = largest
        makeRoom(for: 0, in: space, dropped: &dropped)
    }

    /// Changes a space's maximum number of entries, and evicts down to it.
    package mutating func setMaximumEntries(_ count: Int, in space: Int = 0, dropped: inout [Value]) {
        spaces[space].maximumEntries = count
        makeRoom(for: 0, in: space, dropped: &dropped)
    }

    private mutating func makeRoom(for cost: Int, newEntries: Int = 0, in space: Int, dropped: inout [Value]) {
        while !spaces[space].hasRoom(for: cost, newEntries: newEntries), let victim = spaces[space].policy.evict() {
            vacate(Slot(space: Int32(space), index: victim), dropped: &dropped)
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
        for space in spaces.indices {
            for index in spaces[space].entries.indices {
                let entry = spaces[space].entries[index]
                guard let value = entry.value, condition(entry.key, value) else { continue }
                drop(Slot(space: Int32(space), index: Int32(index)), dropped: &dropped)
            }
        }
    }

    /// The number of entries for which `condition` is true.
    func count(where condition: (CacheKey, Value) -> Bool) -> Int {
        spaces.reduce(0) { sum, space in
            sum + space.entries.count { entry in entry.value.map { condition(entry.key, $0) } ?? false }
        }
    }

    private mutating func drop(_ slot: Slot, dropped: inout [Value]) {
        spaces[Int(slot.space)].policy.remove(slot.index)
        vacate(slot, dropped: &dropped)
    }

    /// Frees a slot that the policy has forgotten.
    private mutating func vacate(_ slot: Slot, dropped: inout [Value]) {
        let entry = spaces[Int(slot.space)].vacate(slot.index)
        slots[entry.key] = nil
        statistics.bytes -= entry.cost
        statistics.entries -= 1
        if let value = entry.value { dropped.append(value) }
    }
}
