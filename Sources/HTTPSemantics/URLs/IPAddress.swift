// The only file of the module that imports the C library: addresses are parsed by `inet_pton`.
#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#elseif canImport(Darwin)
package import Darwin
#endif

/// An IPv4 or IPv6 address as a value, in host order.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Parses the canonical spellings only: four decimal parts, or RFC 4291 §2.2 without a zone.
    ///
    /// `NumericHost` parses the other spellings that resolvers accept (`127.1`, `0x7f000001`).
    package init?(_ text: String) {
        // C would end the string there and parse only what precedes it.
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

    /// Reads an IPv6 address as the system stores it.
    package init(_ address: in6_addr) {
        var address = address
        self = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe .v6(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The canonical text (RFC 5952).
    package var text: String {
        switch self {
        case .v4(let number): return [24, 16, 8, 0].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
        case .v6(let high, let low):
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
