import LinuxSystem

/// Which content files have been read and found right since the start; what it has forgotten is verified once more.
///
/// A table of fixed size: eight bytes a body, in buckets of four of which the oldest makes room.
final class VerifiedBodies: Sendable {
    private static let ways = 4
    private let buckets: Int
    private let slots: Lock<[UInt64]>

    /// Creates an empty table for about `capacity` bodies.
    init(capacity: Int) {
        buckets = max(1, capacity / Self.ways)
        slots = Lock([UInt64](repeating: 0, count: buckets * Self.ways))
    }

    /// Whether the body was verified, or written, since the start.
    func contains(_ key: CacheKey, _ digest: CacheKey) -> Bool {
        let (mark, start) = place(key, digest)
        return slots.withLock { slots in slots[start..<start + Self.ways].contains(mark) }
    }

    /// The body is right.
    func insert(_ key: CacheKey, _ digest: CacheKey) {
        let (mark, start) = place(key, digest)
        slots.withLock { slots in
            guard !slots[start..<start + Self.ways].contains(mark) else { return }
            for way in (1..<Self.ways).reversed() { slots[start + way] = slots[start + way - 1] }
            slots[start] = mark
        }
    }

    /// Of a name's 512 bits, 64 that are compared, and others that say where; never 0, which is an empty slot.
    private func place(_ key: CacheKey, _ digest: CacheKey) -> (mark: UInt64, start: Int) {
        let mark = (key.words.0 ^ digest.words.1) | 1
        let bucket = Int((key.words.2 ^ digest.words.3) % UInt64(buckets))
        return (mark, bucket * Self.ways)
    }
}
