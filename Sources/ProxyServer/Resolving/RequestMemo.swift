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
        guard let slot = table[Self.slot(of: target, in: bytes)], slot.site === site, slot.target.count == target.count
        else { return nil }
        for index in slot.target.indices where slot.target[index] != bytes[target.lowerBound + index] { return nil }
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

    /// FNV-1a, folded; cheap, and good enough where collisions are harmless.
    private static func slot(of target: Range<Int>, in bytes: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in target { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (slots - 1)
    }
}
