import Glibc

/// Parsing authorities: `uri-host [ ":" port ]` (RFC 9110 §4.2.1, §7.2; RFC 3986 §3.2.2).
extension RequestParser {
    /// Whether the bytes are a host with an optional port.
    ///
    /// Stricter than the grammar where it is ambiguous: the host must not be empty (an `http` URI with an empty host is invalid), a
    /// port is at most 65535, and IP literals are IPv6 addresses without a zone.
    ///
    /// - Parameter needsPort: whether a non-empty port is required, as in authority-form (RFC 9112 §3.2.3).
    func isAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>, needsPort: Bool = false) -> Bool {
        guard let first = range.first else { return false }
        let hostEnd = bytes[first] == 0x5B ? literalEnd(bytes, range) : nameEnd(bytes, range)
        guard let hostEnd else { return false }
        guard hostEnd < range.upperBound else { return !needsPort }
        return bytes[hostEnd] == 0x3A && isPort(bytes, hostEnd + 1..<range.upperBound, needsPort: needsPort)
    }

    /// The end of a registered name or IPv4 address: a colon, or the end of the range.
    private func nameEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != 0x3A {
            if ByteClass.isNameByte(bytes[index]) {
                index += 1
            } else {
                // RFC 3986 §2.1: the only alternative is percent-encoding.
                guard bytes[index] == 0x25, index + 2 < range.upperBound, ByteClass.hexValue(bytes[index + 1]) != nil,
                    ByteClass.hexValue(bytes[index + 2]) != nil
                else { return nil }
                index += 3
            }
        }
        return index > range.lowerBound ? index : nil
    }

    /// The end of an IPv6 address in brackets; `nil` if there is none.
    private func literalEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        // The longest IPv6 address has 45 characters.
        var text: [48 of CChar] = .init(repeating: 0)
        var index = range.lowerBound + 1
        var count = 0
        while index < range.upperBound, bytes[index] != 0x5D {
            guard count < 45 else { return nil }
            text[count] = CChar(bitPattern: bytes[index])
            count += 1
            index += 1
        }
        guard index < range.upperBound, count > 0 else { return nil }
        var address = in6_addr()
        let isAddress = unsafe text.span.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return false }
            return unsafe inet_pton(AF_INET6, base, &address) == 1
        }
        return isAddress ? index + 1 : nil
    }

    private func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>, needsPort: Bool) -> Bool {
        guard !range.isEmpty || !needsPort else { return false }
        var port = 0
        for index in range {
            guard ByteClass.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
            guard port <= 65_535 else { return false }
        }
        return true
    }
}
