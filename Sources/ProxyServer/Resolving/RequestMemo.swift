import Glibc

/// One event loop's recently resolved requests, by site and the raw bytes of the target.
///
/// A direct-mapped table: it is bounded, has no eviction order, and a collision only costs another parse. Confined to its owner.
struct RequestMemo: Sendable {
    /// The number of slots, a power of two.
    private static let slots = 1024
    /// The longest stored target, which limits the table to about 1 MB per loop.
    private static let longestTarget = 1024

    private struct Slot: Sendable {
        var site: Site
        var target: [UInt8]
        var request: ResolvedRequest
    }

    private var table = [Slot?](repeating: nil, count: slots)

    /// The resolved request for a target of a site, in the read buffer.
    func find(_ target: Range<Int>, of site: Site, in bytes: Span<UInt8>) -> ResolvedRequest? {
        guard let slot = table[Self.slot(of: target, in: bytes)], slot.site === site,
            Self.equals(slot.target, bytes.extracting(target))
        else { return nil }
        return slot.request
    }

    /// Stores the resolved request of a site's target.
    mutating func keep(_ request: ResolvedRequest, for target: [UInt8], of site: Site) {
        guard target.count <= Self.longestTarget else { return }
        table[Self.slot(of: 0..<target.count, in: target.span)] = Slot(
            site: site,
            target: target,
            request: request
        )
    }

    private static func equals(_ known: borrowing [UInt8], _ target: Span<UInt8>) -> Bool {
        guard known.count == target.count else { return false }
        return unsafe known.withUnsafeBytes { known in
            unsafe target.withUnsafeBytes { target in
                guard let known = known.baseAddress, let other = target.baseAddress else { return true }
                return unsafe memcmp(known, other, target.count) == 0
            }
        }
    }

    /// Multiplies and folds eight bytes a step; cheap, and good enough where collisions are harmless.
    private static func slot(of target: Range<Int>, in bytes: Span<UInt8>) -> Int {
        let raw = unsafe bytes.extracting(target).bytes
        let count = raw.byteCount
        var hash = UInt64(count)
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        var index = 0
        while index + 8 <= count {
            add(unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        if index < count, count > 8 {
            // The last word overlaps the one before.
            add(unsafe raw.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
            index = count
        }
        while index < count {
            add(UInt64(unsafe raw.unsafeLoad(fromByteOffset: index, as: UInt8.self)))
            index += 1
        }
        // Differences in the last word's high bytes have not reached the low bits yet.
        add(0)
        return Int(truncatingIfNeeded: hash) & (slots - 1)
    }
}
