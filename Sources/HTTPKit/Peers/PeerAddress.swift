import CLinux
import Glibc
package import HTTPSemantics

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

    /// Creates the address of a client from its parts.
    package init(_ address: IPAddress, port: UInt16) {
        switch address {
        case .v4(let number): self.init(family: .ipv4, port: port, high: 0, low: UInt64(number))
        case .v6(let high, let low): self.init(port: port, high: high, low: low)
        }
    }

    /// Parses an address in the usual notation, without brackets or zone.
    package init?(_ text: String, port: UInt16) {
        guard let address = IPAddress(text) else { return nil }
        self.init(address, port: port)
    }

    /// The peer of a Unix-domain socket.
    package static let unix = PeerAddress(family: .unix, port: 0, high: 0, low: 0)

    /// Whether it is on this machine: the peer of a Unix-domain socket, or a loopback address.
    package var isLocal: Bool {
        switch family {
        case .unix: true
        case .ipv4: low >> 24 == 127
        case .ipv6: high == 0 && low == 1
        }
    }

    /// Converts the result of accept4(2) or getsockname(2).
    init(_ storage: sockaddr_storage) {
        switch CInt(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            let number = UInt32(bigEndian: address.sin_addr.s_addr)
            self.init(.v4(number), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            self.init(IPAddress(address.sin6_addr), port: UInt16(bigEndian: address.sin6_port))
        default:
            self = .unix
        }
    }

    /// The address in the usual notation, without the port.
    package var description: String {
        switch family {
        case .unix: "unix"
        case .ipv4: IPAddress.v4(UInt32(truncatingIfNeeded: low)).text
        case .ipv6: IPAddress.v6(high: high, low: low).text
        }
    }
}
