/// Parses the host spellings that resolvers and browsers accept as an IPv4 address: `127.1`, `2130706433`, `0x7f.0.0.1`,
/// `0177.0.0.1`.
///
/// They have one to four parts, each decimal, octal (leading 0) or hexadecimal (leading 0x); the last part fills the
/// remaining bytes. See inet_aton(3), which libcurl and getaddrinfo(3) follow, and the WHATWG URL Standard §3.5.
enum NumericHost {
    /// The kind of a host.
    enum Reading: Hashable, Sendable {
        /// Does not end in a number: a name for DNS.
        case name
        case address(UInt32)
        /// Ends in a number but is not an address (WHATWG URL §3.5, "ends in a number").
        case malformed
    }

    /// Parses a lower-case host without brackets.
    static func read(_ host: String) -> Reading {
        var parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // A single trailing dot marks an absolute name and is not part of the number.
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard let last = parts.last, looksNumeric(last) else { return .name }
        guard parts.count <= 4 else { return .malformed }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = number(part) else { return .malformed }
            numbers.append(number)
        }
        let tail = numbers.removeLast()
        let tailBits = UInt64(8 * (4 - numbers.count))
        guard numbers.allSatisfy({ $0 <= 255 }), tail < 1 << tailBits else { return .malformed }
        let head = numbers.enumerated().reduce(UInt64(0)) { $0 | $1.element << UInt64(24 - 8 * $1.offset) }
        return .address(UInt32(truncatingIfNeeded: head | tail))
    }

    private static func looksNumeric(_ part: Substring) -> Bool {
        if part.hasPrefix("0x") { return part.utf8.dropFirst(2).allSatisfy { HexDigits.value($0) != nil } }
        return !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func number(_ part: Substring) -> UInt64? {
        if part.hasPrefix("0x") { return part.count == 2 ? 0 : UInt64(part.dropFirst(2), radix: 16) }
        if part.first == "+" || part.first == "-" { return nil }
        if part.count > 1, part.first == "0" { return UInt64(part.dropFirst(), radix: 8) }
        return UInt64(part)
    }
}
