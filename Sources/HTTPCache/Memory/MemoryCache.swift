package import LinuxSystem
import Synchronization

/// The memory tier: values bounded by the sum of their costs in bytes (SDWebImage: `SDMemoryCache`).
///
/// Thread-safe; made for lookups on event loops: one short lock, no allocation, O(1). Keys are spread over shards, each with its
/// own S3-FIFO eviction, which resists one-time requests and scans. Values are shared by reference, never copied: a value being
/// sent outlives its eviction. The lookup is inlinable: unspecialised generics cost more than its lock.
package final class MemoryCache<Value: Sendable>: Sendable {
    /// The eviction policy.
    package typealias Policy = S3FIFO

    /// The settings of a memory cache.
    package struct Configuration: Hashable, Sendable {
        /// The maximum number of bytes of all entries' costs; 0 disables the cache.
        package var capacity: Int
        /// The maximum number of entries (SDWebImage: `maxMemoryCount`); `.max` for no limit but the capacity.
        package var entries = Int.max
        /// The number of shards, each with a lock and an equal share of the capacity; rounded down to a power of two, 1–64.
        package var shards: Int
        /// A value that costs more than its shard's capacity divided by this is refused.
        package var largestDivisor: Int
        /// Bytes of bookkeeping, added to each cost.
        package var overhead: Int

        /// Creates a configuration; by default up to 8 shards of at least 8 MiB, with values of at most a quarter of a shard.
        package init(capacity: Int, shards: Int? = nil, largestDivisor: Int = 4, overhead: Int = 160) {
            self.capacity = max(0, capacity)
            self.shards = shards ?? min(8, capacity >> 23)
            self.largestDivisor = max(1, largestDivisor)
            self.overhead = max(0, overhead)
        }
    }

    package final class Part: Sendable {
        package let shard: Lock<MemoryShard<Value, Policy>>

        init(capacity: Int, largest: Int) {
            shard = Lock(MemoryShard(capacity: capacity, largest: largest))
        }
    }

    /// A maximum of entries is not divided into shards of fewer than this, since keys are not distributed evenly.
    private static var fewestEntries: Int { 64 }

    /// The number of shards, a power of two.
    package let parts: [Part]
    package let mask: UInt64
    private let largestDivisor: Int
    private let overhead: Int
    private let largest: Atomic<Int>
    /// Called with the values that leave the cache.
    private let observer = Lock<(@Sendable (Value) -> Void)?>(nil)

    /// Creates an empty cache.
    package init(_ configuration: Configuration) {
        let wanted = min(64, max(1, min(configuration.shards, configuration.entries / Self.fewestEntries)))
        let count = 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)
        let capacity = configuration.capacity / count
        largestDivisor = configuration.largestDivisor
        overhead = configuration.overhead
        mask = UInt64(count - 1)
        let largest = capacity / configuration.largestDivisor
        self.largest = Atomic(largest)
        parts = (0..<count).map { _ in Part(capacity: capacity, largest: largest) }
        setMaximumEntries(configuration.entries)
    }

    /// The largest cost accepted now; 0 when the cache is disabled.
    package var largestCost: Int { max(0, largest.load(ordering: .relaxed) - overhead) }

    /// Changes the capacity in bytes, and evicts down to it.
    ///
    /// The number of shards does not change.
    package func resize(capacity: Int) {
        let share = max(0, capacity) / parts.count
        largest.store(share / largestDivisor, ordering: .relaxed)
        for part in parts {
            var dropped: [Value] = []
            part.shard.withLock { $0.resize(capacity: share, largest: share / largestDivisor, dropped: &dropped) }
            report(dropped)
        }
    }

    /// Sets the maximum number of entries, and evicts down to it; the shards share it.
    ///
    /// - Parameter count: at least 0; `.max` for no limit.
    package func setMaximumEntries(_ count: Int) {
        for (index, part) in parts.enumerated() {
            // The shares add up to the maximum.
            let share = count == .max ? .max : count / parts.count + (index < count % parts.count ? 1 : 0)
            var dropped: [Value] = []
            part.shard.withLock { $0.setMaximumEntries(share, dropped: &dropped) }
        }
    }

    /// The value of a key; counts as a use.
    @inlinable
    package func value(for key: CacheKey) -> Value? {
        part(for: key).shard.withLock { $0.value(for: key) }
    }

    /// The value of a key; counts neither as a use nor in the statistics.
    package func peek(_ key: CacheKey) -> Value? { part(for: key).shard.withLock { $0.peek(key) } }

    /// Stores a value in place of the key's old one, and evicts others to make room.
    ///
    /// - Parameter cost: bytes, at least 0, by the caller's account.
    /// - Returns: false when the cache is disabled or the value too large; the old value is dropped even so.
    @discardableResult
    package func insert(_ value: Value, for key: CacheKey, cost: Int) -> Bool {
        let part = part(for: key)
        // Freed here, outside the lock.
        var dropped: [Value] = []
        let isStored = part.shard.withLock { shard in
            shard.insert(value, for: key, cost: max(0, cost) + overhead, dropped: &dropped)
        }
        report(dropped)
        return isStored
    }

    /// Drops the key's value, if it meets a condition; that runs under a shard's lock and must be fast.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func remove(_ key: CacheKey, where condition: (Value) -> Bool = { _ in true }) -> Bool {
        let part = part(for: key)
        var dropped: [Value] = []
        part.shard.withLock { shard in
            if shard.contains(key, where: condition) { shard.remove(key, dropped: &dropped) }
        }
        report(dropped)
        return !dropped.isEmpty
    }

    /// Whether the key has a value that meets a condition; does not count as a use.
    package func contains(_ key: CacheKey, where condition: (Value) -> Bool = { _ in true }) -> Bool {
        part(for: key).shard.withLock { $0.contains(key, where: condition) }
    }

    /// Calls an observer with each value that leaves the cache: evicted, replaced or removed.
    ///
    /// It is called on the thread that caused that, without a lock, and may change the cache.
    package func observeDrops(_ observer: @escaping @Sendable (Value) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    private func report(_ dropped: [Value]) {
        guard !dropped.isEmpty, let observer = observer.withLock({ $0 }) else { return }
        for value in dropped { observer(value) }
    }

    /// Drops the values for which `condition` is true; it runs under a shard's lock and must be fast.
    ///
    /// - Returns: the number of values dropped.
    @discardableResult
    package func removeAll(where condition: (CacheKey, Value) -> Bool = { _, _ in true }) -> Int {
        var count = 0
        for part in parts {
            var dropped: [Value] = []
            part.shard.withLock { $0.removeAll(where: condition, dropped: &dropped) }
            report(dropped)
            count += dropped.count
        }
        return count
    }

    /// The number of values for which `condition` is true; it runs under a shard's lock and must be fast.
    package func count(where condition: (CacheKey, Value) -> Bool) -> Int {
        parts.reduce(0) { sum, part in sum + part.shard.withLock { $0.count(where: condition) } }
    }

    /// The sums over all shards; each shard is read atomically.
    package var statistics: MemoryStatistics {
        var sum = MemoryStatistics()
        for part in parts { sum += part.shard.withLock { $0.statistics } }
        return sum
    }

    @inlinable
    @inline(__always)
    package func part(for key: CacheKey) -> Part {
        // Selects by the last 64 bits, because the shard's map hashes the first.
        return parts[Int(key.words.3 & mask)]
    }
}

/// The contents of a memory cache, and counters since it was created.
package struct MemoryStatistics: Hashable, Sendable {
    /// Sum of the entries' costs, bookkeeping included.
    package var bytes = 0
    package var entries = 0
    package var hits = 0
    package var misses = 0
    /// Entries evicted to make room.
    package var evictions = 0
    /// Values refused as too large.
    package var refusals = 0

    /// Creates zeros.
    package init() {}

    /// Adds another shard's statistics.
    package static func += (left: inout MemoryStatistics, right: MemoryStatistics) {
        left.bytes += right.bytes
        left.entries += right.entries
        left.hits += right.hits
        left.misses += right.misses
        left.evictions += right.evictions
        left.refusals += right.refusals
    }
}
