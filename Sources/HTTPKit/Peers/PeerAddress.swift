import CLinux
import Glibc

/// The address of a client.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address family.
    package enum Family: UInt8, Sendable {
        case ipv4, ipv6, unix
    }

    /// The address family; IPv4-mapped IPv6 addresses (::ffff:0:0/96) are reported as IPv4.
    package let family: Family
    /// The client's port; 0 for Unix-domain sockets.
    package let port: UInt16
    /// The first eight bytes of the address in network order; 0 for IPv4.
    package let high: UInt64
    /// The last eight bytes of the address in network order; an IPv4 address uses the last four.
    package let low: UInt64

    /// Creates an address.
    package init(family: Family, port: UInt16, high: UInt64, low: UInt64) {
        self.family = family
        self.port = port
        self.high = high
        self.low = low
    }

    /// Creates an IPv6 address, or the IPv4 address mapped into it.
    package init(port: UInt16, high: UInt64, low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(family: isMapped ? .ipv4 : .ipv6, port: port, high: high, low: isMapped ? low & 0xFFFF_FFFF : low)
    }

    /// Parses an address in the usual notation, without brackets or zone.
    package init?(_ text: String, port: UInt16) {
        // C would stop at the NUL and accept what precedes it.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self.init(family: .ipv4, port: port, high: 0, low: UInt64(UInt32(bigEndian: four.s_addr)))
        } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            let words = unsafe withUnsafeBytes(of: six) { raw in
                unsafe (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self.init(port: port, high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
        } else {
            return nil
        }
    }

    /// The peer of a Unix-domain socket.
    package static let unix = PeerAddress(family: .unix, port: 0, high: 0, low: 0)

    /// Converts the result of accept4(2) or getsockname(2).
    init(_ storage: sockaddr_storage) {
        switch CInt(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            self.init(
                family: .ipv4,
                port: UInt16(bigEndian: address.sin_port),
                high: 0,
                low: UInt64(UInt32(bigEndian: address.sin_addr.s_addr))
            )
        case AF_INET6:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            let words = unsafe withUnsafeBytes(of: address.sin6_addr) { raw in
                unsafe (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self.init(
                port: UInt16(bigEndian: address.sin6_port),
                high: UInt64(bigEndian: words.0),
                low: UInt64(bigEndian: words.1)
            )
        default:
            self = .unix
        }
    }

    /// The address in the usual notation, without the port.
    package var description: String {
        switch family {
        case .unix: return "unix"
        case .ipv4: return [24, 16, 8, 0].map { "\(low >> $0 & 0xFF)" }.joined(separator: ".")
        case .ipv6:
            var address = in6_addr()
            unsafe withUnsafeMutableBytes(of: &address) { raw in
                unsafe raw.storeBytes(of: high.bigEndian, as: UInt64.self)
                unsafe raw.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "" }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
