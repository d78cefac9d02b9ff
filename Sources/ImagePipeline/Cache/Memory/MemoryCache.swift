import LinuxSystem
import Synchronization

/// The first tier: values in memory, bounded by the bytes that their owner says they cost (SDWebImage: `SDMemoryCache`).
///
/// Any thread; made for lookups inside event loops: one short lock, no allocation, O(1). Keys are spread over parts that
/// evict apart, each by S3-FIFO, which one-time requests and scans do not harm. A value that is being sent lives on with
/// its sender when it is evicted: values are shared by reference, never copied.
package final class MemoryCache<Value: Sendable>: Sendable {
    /// The one place to exchange the policy.
    private typealias Policy = S3FIFO

    /// The bounds of a memory cache.
    package struct Configuration: Hashable, Sendable {
        /// Bytes of all entries' costs; 0 disables the cache.
        package var capacity: Int
        /// Parts, each with a lock and an equal share of the capacity; rounded down to a power of two, 1–64.
        package var shards: Int
        /// A value that costs more than its part's capacity divided by this is refused.
        package var largestDivisor: Int
        /// Bytes that an entry's bookkeeping costs, added to each cost.
        package var overhead: Int

        /// Describes a cache; by default up to 8 parts of at least 8 MiB, none of whose values fills over a quarter of one.
        package init(capacity: Int, shards: Int? = nil, largestDivisor: Int = 4, overhead: Int = 160) {
            self.capacity = max(0, capacity)
            self.shards = shards ?? min(8, capacity >> 23)
            self.largestDivisor = max(1, largestDivisor)
            self.overhead = max(0, overhead)
        }
    }

    private final class Part: Sendable {
        let shard: Lock<MemoryShard<Value, Policy>>

        init(capacity: Int, largest: Int) {
            shard = Lock(MemoryShard(capacity: capacity, largest: largest))
        }
    }

    /// As many as a power of two.
    private let parts: [Part]
    private let mask: UInt64
    private let largestDivisor: Int
    private let overhead: Int
    private let largest: Atomic<Int>

    /// Creates an empty cache.
    package init(_ configuration: Configuration) {
        let wanted = min(64, max(1, configuration.shards))
        let count = 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)
        let capacity = configuration.capacity / count
        largestDivisor = configuration.largestDivisor
        overhead = configuration.overhead
        mask = UInt64(count - 1)
        let largest = capacity / configuration.largestDivisor
        self.largest = Atomic(largest)
        parts = (0..<count).map { _ in Part(capacity: capacity, largest: largest) }
    }

    /// The largest cost that is taken now, 0 where nothing is.
    package var largestCost: Int { max(0, largest.load(ordering: .relaxed) - overhead) }

    /// Gives the cache another capacity in bytes; what is over it goes.
    ///
    /// The number of parts stays as it was made.
    package func resize(capacity: Int) {
        let share = max(0, capacity) / parts.count
        largest.store(share / largestDivisor, ordering: .relaxed)
        for part in parts {
            var dropped: [Value] = []
            part.shard.withLock { $0.resize(capacity: share, largest: share / largestDivisor, dropped: &dropped) }
        }
    }

    /// The value stored for a key, which counts as used now.
    package func value(for key: CacheKey) -> Value? {
        part(for: key).shard.withLock { $0.value(for: key) }
    }

    /// Stores a value in place of the key's old one; others go to make room.
    ///
    /// - Parameter cost: bytes, at least 0; what the value really holds is the caller's knowledge.
    /// - Returns: false when the cache is disabled or the value too large; the old value is gone even so.
    @discardableResult
    package func insert(_ value: Value, for key: CacheKey, cost: Int) -> Bool {
        let part = part(for: key)
        // Released here, after the lock: the last owner of a large value frees it outside.
        var dropped: [Value] = []
        let isStored = part.shard.withLock { shard in
            shard.insert(value, for: key, cost: max(0, cost) + overhead, dropped: &dropped)
        }
        return isStored
    }

    /// Drops the key's value.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func remove(_ key: CacheKey) -> Bool {
        let part = part(for: key)
        var dropped: [Value] = []
        part.shard.withLock { $0.remove(key, dropped: &dropped) }
        return !dropped.isEmpty
    }

    /// Drops the values for which `condition` is true; it runs under a part's lock and must be short.
    ///
    /// - Returns: how many went.
    @discardableResult
    package func removeAll(where condition: (CacheKey, Value) -> Bool = { _, _ in true }) -> Int {
        var count = 0
        for part in parts {
            var dropped: [Value] = []
            part.shard.withLock { $0.removeAll(where: condition, dropped: &dropped) }
            count += dropped.count
        }
        return count
    }

    /// How many values there are for which `condition` is true; it runs under a part's lock and must be short.
    package func count(where condition: (CacheKey, Value) -> Bool) -> Int {
        parts.reduce(0) { sum, part in sum + part.shard.withLock { $0.count(where: condition) } }
    }

    /// The sums over all parts, each part's own taken at one instant.
    package var statistics: MemoryStatistics {
        var sum = MemoryStatistics()
        for part in parts { sum += part.shard.withLock { $0.statistics } }
        return sum
    }

    @inline(__always)
    private func part(for key: CacheKey) -> Part {
        // The last word: the map inside the part hashes the first.
        return parts[Int(key.words.3 & mask)]
    }
}
