import HTTPKit
import HTTPSemantics

/// A range of client addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), or all clients on Unix sockets.
struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    /// As written: `10.0.0.0/8`, `::1`, `unix`.
    let description: String
    private let family: PeerAddress.Family
    /// The prefix mask and its bits; both 0 for `unix`.
    private let mask: (high: UInt64, low: UInt64)
    private let bits: (high: UInt64, low: UInt64)

    /// Parses a range; `nil` if it is invalid or has bits set after the prefix, as in `10.1.0.0/8`.
    init?(_ text: String) {
        description = text
        guard text != "unix" else {
            (family, mask, bits) = (.unix, (0, 0), (0, 0))
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        let (family, width, value): (PeerAddress.Family, Int, UInt128) =
            switch address {
            case .v4(let value): (.ipv4, 32, UInt128(value))
            case .v6(let high, let low): (.ipv6, 128, UInt128(high) << 64 | UInt128(low))
            }
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(parts[1]), number <= width
            else { return nil }
            length = number
        }
        // An IPv4 address is in the last 32 of 128 bits.
        let counted = UInt128.max << UInt128(width - length) & (UInt128.max >> UInt128(128 - width))
        guard value & ~counted == 0 else { return nil }
        self.family = family
        mask = (UInt64(truncatingIfNeeded: counted >> 64), UInt64(truncatingIfNeeded: counted))
        bits = (UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value))
    }

    /// Whether a client's address is in the range.
    func contains(_ peer: PeerAddress) -> Bool {
        peer.family == family && peer.high & mask.high == bits.high && peer.low & mask.low == bits.low
    }

    static func == (left: AddressRange, right: AddressRange) -> Bool {
        left.family == right.family && left.mask == right.mask && left.bits == right.bits
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(family)
        hasher.combine(bits.high)
        hasher.combine(bits.low)
        hasher.combine(mask.low)
    }
}

extension [AddressRange] {
    /// Whether a client's address is in one of the ranges.
    func contains(_ peer: PeerAddress) -> Bool { contains { $0.contains(peer) } }
}
