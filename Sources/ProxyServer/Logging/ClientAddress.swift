import HTTPKit

/// A client's address in a log line.
enum ClientAddress: Hashable, Sendable {
    /// The address as a number in network order: 127.0.0.1 is 0x7F000001.
    case ipv4(UInt32)
    /// The first and last eight bytes as numbers in network order.
    case ipv6(UInt64, UInt64)
    /// A Unix-domain socket.
    case unix

    /// Appends the text form, for IPv6 as in RFC 5952.
    func append(to line: inout [UInt8]) {
        switch self {
        case .unix: line.append(contentsOf: "unix".utf8)
        case .ipv4(let address):
            for shift in [24, 16, 8, 0] as [UInt32] {
                LogText.append(Int64(address >> shift & 0xFF), to: &line)
                if shift > 0 { line.append(UInt8(ascii: ".")) }
            }
        case .ipv6(let high, let low): ClientAddress.append(high, low, to: &line)
        }
    }

    /// Whether limits count the client by its network instead of its address.
    var hasNetwork: Bool { if case .ipv6 = self { true } else { false } }

    /// Appends the /64 network by which limits count an IPv6 client (`PeerAddress.account`).
    func appendNetwork(to line: inout [UInt8]) {
        guard case .ipv6(let high, _) = self else { return append(to: &line) }
        ClientAddress.append(high, 0, to: &line)
        line.append(contentsOf: "/64".utf8)
    }

    private static func append(_ high: UInt64, _ low: UInt64, to line: inout [UInt8]) {
        func group(_ index: Int) -> UInt64 { (index < 4 ? high : low) >> UInt64((3 - index % 4) * 16) & 0xFFFF }
        let zeros = longestZeros(group)
        var index = 0
        while index < 8 {
            if index == zeros.lowerBound, zeros.count > 1 {
                // RFC 5952 §4.2: the longest run of at least two zero groups, the first of equals.
                line.append(contentsOf: "::".utf8)
                index = zeros.upperBound
                continue
            }
            if index > 0, !(index == zeros.upperBound && zeros.count > 1) { line.append(UInt8(ascii: ":")) }
            line.append(contentsOf: String(group(index), radix: 16).utf8)
            index += 1
        }
    }

    private static func longestZeros(_ group: (Int) -> UInt64) -> Range<Int> {
        var best = 0..<0
        var start = 0
        for index in 0..<8 {
            if group(index) != 0 {
                start = index + 1
            } else if index + 1 - start > best.count {
                best = start..<index + 1
            }
        }
        return best
    }
}

extension ClientAddress {
    init(_ peer: PeerAddress) {
        switch peer.family {
        case .ipv4: self = .ipv4(UInt32(truncatingIfNeeded: peer.low))
        case .ipv6: self = .ipv6(peer.high, peer.low)
        case .unix: self = .unix
        }
    }
}
