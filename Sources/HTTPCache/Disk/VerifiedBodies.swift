import LinuxSystem

/// A bounded set of content files verified since the start; files that fall out of it are verified again.
///
/// A table of eight bytes per body, in buckets of four whose oldest entry is replaced. It grows with the bodies.
final class VerifiedBodies: Sendable {
    private static let ways = 4

    private struct Table {
        var slots: [UInt64]
        var count = 0

        init(buckets: Int) { slots = [UInt64](repeating: 0, count: buckets * ways) }

        /// The slots of a mark's bucket.
        func bucket(of mark: UInt64) -> Range<Int> {
            let start = Int((mark >> 1) % UInt64(slots.count / ways)) * ways
            return start..<start + ways
        }

        func contains(_ mark: UInt64) -> Bool { slots[bucket(of: mark)].contains(mark) }

        mutating func insert(_ mark: UInt64) {
            let bucket = bucket(of: mark)
            guard !slots[bucket].contains(mark) else { return }
            if slots[bucket.upperBound - 1] == 0 { count += 1 }
            for slot in bucket.dropFirst().reversed() { slots[slot] = slots[slot - 1] }
            slots[bucket.lowerBound] = mark
        }
    }

    /// The most buckets.
    private let limit: Int
    private let table: Lock<Table>

    /// Creates an empty set for about `capacity` bodies.
    init(capacity: Int) {
        limit = max(1, capacity / Self.ways)
        table = Lock(Table(buckets: min(limit, 64)))
    }

    /// Whether a body was verified or written since the start.
    func contains(_ key: CacheKey, _ digest: CacheKey) -> Bool {
        let mark = Self.mark(key, digest)
        return table.withLock { $0.contains(mark) }
    }

    /// Adds a verified body.
    func insert(_ key: CacheKey, _ digest: CacheKey) {
        let mark = Self.mark(key, digest)
        table.withLock { table in
            // A quarter full, hardly any bucket has more than four.
            if table.count >= table.slots.count / 4, table.slots.count < limit * Self.ways {
                var larger = Table(buckets: min(limit, table.slots.count * 2 / Self.ways))
                // The newest entries of buckets are their first.
                for known in table.slots.reversed() where known != 0 { larger.insert(known) }
                table = larger
            }
            table.insert(mark)
        }
    }

    /// The 64 bits that stand for a body, never 0, which marks an empty slot.
    private static func mark(_ key: CacheKey, _ digest: CacheKey) -> UInt64 { (key.words.0 ^ digest.words.1) | 1 }
}
