import Glibc

/// An IPv4 or IPv6 address as a value, in host order.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Parses the canonical spellings only: four decimal parts, or RFC 4291 §2.2 without a zone.
    ///
    /// What else the resolver takes for an address (`127.1`, `0x7f000001`) is `NumericHost`'s work.
    package init?(_ text: String) {
        // C would end the text there, and take what stands before it.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
        } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            self.init(six)
        } else {
            return nil
        }
    }

    /// Takes the address out of a socket address of `length` bytes; `nil` for other families and short ones.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        let family = unsafe bytes.loadUnaligned(as: sa_family_t.self)
        switch CInt(family) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
            self = .v4(UInt32(bigEndian: address.sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self.init(unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default:
            return nil
        }
    }

    private init(_ address: in6_addr) {
        var address = address
        self = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe .v6(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
