import LinuxSystem

/// A bounded set of content files verified since the start; files that fall out of it are verified again.
///
/// A table of fixed size: eight bytes per body, in buckets of four whose oldest entry is replaced.
final class VerifiedBodies: Sendable {
    private static let ways = 4
    private let buckets: Int
    private let slots: Lock<[UInt64]>

    /// Creates an empty set for about `capacity` bodies.
    init(capacity: Int) {
        buckets = max(1, capacity / Self.ways)
        slots = Lock([UInt64](repeating: 0, count: buckets * Self.ways))
    }

    /// Whether a body was verified or written since the start.
    func contains(_ key: CacheKey, _ digest: CacheKey) -> Bool {
        let (mark, start) = place(key, digest)
        return slots.withLock { slots in slots[start..<start + Self.ways].contains(mark) }
    }

    /// Adds a verified body.
    func insert(_ key: CacheKey, _ digest: CacheKey) {
        let (mark, start) = place(key, digest)
        slots.withLock { slots in
            guard !slots[start..<start + Self.ways].contains(mark) else { return }
            for way in (1..<Self.ways).reversed() { slots[start + way] = slots[start + way - 1] }
            slots[start] = mark
        }
    }

    /// The 64 bits that are compared, never 0, which marks an empty slot; and the bucket, chosen by other bits.
    private func place(_ key: CacheKey, _ digest: CacheKey) -> (mark: UInt64, start: Int) {
        let mark = (key.words.0 ^ digest.words.1) | 1
        let bucket = Int((key.words.2 ^ digest.words.3) % UInt64(buckets))
        return (mark, bucket * Self.ways)
    }
}
