/// The requests that one event loop understood last, by the target's very bytes.
///
/// A direct-mapped table: bounded, no order to keep, and a collision only costs another parse. Confined by its owner.
struct RequestMemo: Sendable {
    /// Slots; a power of two.
    private static let slots = 1024
    /// Longer targets are not kept: at most about a megabyte a loop.
    private static let longestTarget = 1024

    private struct Slot: Sendable {
        var target: [UInt8]
        var request: ResolvedRequest
    }

    private var table = [Slot?](repeating: nil, count: slots)

    /// The request that these bytes, a part of a read buffer, were understood as.
    func find(_ target: Range<Int>, in bytes: Span<UInt8>) -> ResolvedRequest? {
        guard let slot = table[Self.slot(of: target, in: bytes)], slot.target.count == target.count else { return nil }
        for index in slot.target.indices where slot.target[index] != bytes[target.lowerBound + index] { return nil }
        return slot.request
    }

    /// Keeps what a target was understood as.
    mutating func keep(_ request: ResolvedRequest, for target: [UInt8]) {
        guard target.count <= Self.longestTarget else { return }
        table[Self.slot(of: 0..<target.count, in: target.span)] = Slot(target: target, request: request)
    }

    /// FNV-1a, folded: cheap, and good enough for a table in which a collision is harmless.
    private static func slot(of target: Range<Int>, in bytes: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in target { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (slots - 1)
    }
}
