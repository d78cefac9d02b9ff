public import LinuxSystem
import Synchronization

/// The memory tier: values bounded by the sum of their costs in bytes (SDWebImage: `SDMemoryCache`).
///
/// Thread-safe; made for lookups on event loops: one short lock, no allocation, O(1). Keys are spread over shards, each with its
/// own S3-FIFO eviction, which resists one-time requests and scans. Values are shared by reference, never copied: a value being
/// sent outlives its eviction.
///
/// The lookup is inlinable, and all that it uses is usable from inline code: without that, the optimiser does not specialise `package`
/// generics in other modules, and each lookup asks the runtime for metadata, which takes five times as long.
@usableFromInline
package final class MemoryCache<Value: Sendable>: Sendable {
    /// The eviction policy.
    @usableFromInline package typealias Policy = S3FIFO

    /// The settings of a memory cache.
    package struct Configuration: Hashable, Sendable {
        /// The maximum number of bytes of all entries' costs; 0 disables the cache.
        package var capacity: Int
        /// The maximum number of entries (SDWebImage: `maxMemoryCount`); `.max` for no limit but the capacity.
        package var entries = Int.max
        /// The bytes of the capacity that namespaces have for themselves, by name; the others share the rest.
        package var reserved: [String: Int] = [:]
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

    @usableFromInline
    package final class Part: Sendable {
        @usableFromInline package let shard: Lock<MemoryShard<Value, Policy>>

        init(capacity: Int, largest: Int) {
            shard = Lock(MemoryShard(capacity: capacity, largest: largest))
        }

        /// Drops all entries of some spaces.
        func empty(_ spaces: [Int], dropped: inout [Value]) {
            guard !spaces.isEmpty else { return }
            shard.withLock { shard in
                for space in spaces { shard.resize(space, capacity: 0, largest: 0, dropped: &dropped) }
            }
        }
    }

    /// A maximum of entries is not divided into shards of fewer than this, since keys are not distributed evenly.
    private static var fewestEntries: Int { 64 }

    /// The number of shards, a power of two.
    @usableFromInline package let parts: [Part]
    @usableFromInline package let mask: UInt64
    private let largestDivisor: Int
    private let overhead: Int
    private let largest: Atomic<Int>
    private let bounds: Lock<MemoryBounds>
    /// Called with the values that leave the cache.
    private let observer = Lock(Observer())

    /// Creates an empty cache.
    package init(_ configuration: Configuration) {
        let wanted = min(64, max(1, min(configuration.shards, configuration.entries / Self.fewestEntries)))
        let count = 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)
        let capacity = configuration.capacity / count
        bounds = Lock(
            MemoryBounds(
                capacity: configuration.capacity,
                reserved: configuration.reserved,
                entries: max(0, configuration.entries)
            )
        )
        largestDivisor = configuration.largestDivisor
        overhead = configuration.overhead
        mask = UInt64(count - 1)
        let largest = capacity / configuration.largestDivisor
        self.largest = Atomic(largest)
        parts = (0..<count).map { _ in Part(capacity: capacity, largest: largest) }
        applyBounds { _ in }
    }

    /// The largest cost accepted now; 0 when the cache is disabled.
    package var largestCost: Int { max(0, largest.load(ordering: .relaxed) - overhead) }

    /// Changes the capacity in bytes, and evicts down to it.
    ///
    /// The number of shards does not change.
    ///
    /// - Parameter reserved: the bytes of the capacity that namespaces have for themselves, by name. A namespace that no longer has
    ///   any loses its entries.
    package func resize(capacity: Int, reserved: [String: Int] = [:]) {
        applyBounds { bounds in
            bounds.capacity = max(0, capacity)
            bounds.reserved = reserved
        }
    }

    /// Sets the maximum number of entries, and evicts down to it.
    ///
    /// The shards share it, and in each the namespaces with a share of the capacity, in proportion; each may have one entry at least.
    /// - Parameter count: at least 0; `.max` for no limit.
    package func setMaximumEntries(_ count: Int) {
        applyBounds { $0.entries = max(0, count) }
    }

    /// Changes the bounds, and evicts down to them.
    private func applyBounds(_ change: (inout MemoryBounds) -> Void) {
        var dropped: [Value] = []
        bounds.withLock { bounds in
            let before = bounds.reservations.spaces
            change(&bounds)
            let reserved = bounds.reserved
            let unused = before.filter { reserved[$0.key] == nil }.map(\.value)
            bounds.reservations.set(Set(reserved.keys))
            // Emptied first, as they may be reused.
            for part in parts { part.empty(unused, dropped: &dropped) }
            let shares = bounds.shares(among: parts.count)
            largest.store(shares[0] / largestDivisor, ordering: .relaxed)
            for (index, part) in parts.enumerated() {
                let entries = bounds.entries(ofShard: index, among: parts.count)
                part.shard.withLock { shard in
                    for (space, share) in shares.enumerated() {
                        shard.resize(space, capacity: share, largest: share / largestDivisor, dropped: &dropped)
                        shard.setMaximumEntries(entries[space], in: space, dropped: &dropped)
                    }
                }
            }
        }
        report(dropped)
    }

    /// The bytes that namespaces with a share of their own hold, by name.
    package var reservedBytes: [String: Int] {
        let spaces = bounds.withLock { $0.reservations.spaces }
        guard !spaces.isEmpty else { return [:] }
        return spaces.mapValues { space in
            parts.reduce(0) { sum, part in sum + part.shard.withLock { $0.spaces[space].bytes } }
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
    /// - Parameters:
    ///   - cost: bytes, at least 0, by the caller's account.
    ///   - namespace: the namespace of the value's source, whose other values make room if it has a share of its own.
    /// - Returns: false when the cache is disabled or the value too large; the old value is dropped even so.
    @discardableResult
    package func insert(_ value: Value, for key: CacheKey, cost: Int, in namespace: String = "") -> Bool {
        let space = namespace.isEmpty ? 0 : bounds.withLock { $0.reservations.space(of: namespace) }
        let part = part(for: key)
        // Freed here, outside the lock.
        var dropped: [Value] = []
        let isStored = part.shard.withLock { shard in
            shard.insert(value, for: key, cost: max(0, cost) + overhead, in: space, dropped: &dropped)
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

    /// A structure, because a lock that holds a function itself wraps it in another one with each access.
    private struct Observer: Sendable {
        var call: (@Sendable (Value) -> Void)?
    }

    /// Calls an observer with each value that leaves the cache: evicted, replaced or removed.
    ///
    /// It is called on the thread that caused that, without a lock, and may change the cache.
    package func observeDrops(_ observer: @escaping @Sendable (Value) -> Void) {
        self.observer.withLock { $0.call = observer }
    }

    private func report(_ dropped: [Value]) {
        guard !dropped.isEmpty, let call = observer.withLock({ $0.call }) else { return }
        for value in dropped { call(value) }
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
@usableFromInline
package struct MemoryStatistics: Hashable, Sendable {
    /// Sum of the entries' costs, bookkeeping included.
    package var bytes = 0
    package var entries = 0
    @usableFromInline package var hits = 0
    @usableFromInline package var misses = 0
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
