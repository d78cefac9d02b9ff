/// A PROXY protocol header, which states the client's address (HAProxy, "The PROXY protocol", versions 1 and 2).
///
/// The parser is strict, and the header is required from proxies configured to send it.
package struct ProxyHeader: Hashable, Sendable {
    /// The client; `nil` for the proxy's own connections (LOCAL) and unknown addresses (UNKNOWN, other families).
    package var client: PeerAddress?
    /// The length of the header in bytes.
    package var length: Int

    /// The bytes are not a PROXY protocol header.
    package struct Malformed: Error, Hashable {}

    /// The longest version 1 header in bytes, including CRLF.
    static let longestText = 107
    /// The longest accepted content of a version 2 header in bytes: addresses and extensions.
    static let longestContent = 2_048

    private static let textStart: StaticString = "PROXY "
    private static let binaryStart: [12 of UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Parses a header from the first bytes of a connection.
    ///
    /// - Returns: `nil` if more bytes are needed.
    package static func parse(_ bytes: Span<UInt8>) throws(Malformed) -> ProxyHeader? {
        guard bytes.count > 0 else { return nil }
        return bytes[0] == 0x0D ? try parseBinary(bytes) : try parseText(bytes)
    }

    // MARK: Version 1

    private static func parseText(_ bytes: Span<UInt8>) throws(Malformed) -> ProxyHeader? {
        let isStart = textStart.withUTF8Buffer { start in
            for index in 0..<min(start.count, bytes.count) where unsafe bytes[index] != start[index] { return false }
            return true
        }
        guard isStart else { throw Malformed() }
        var end = 0
        while end < bytes.count, bytes[end] != 0x0A {
            end += 1
            guard end < longestText else { throw Malformed() }
        }
        guard end < bytes.count else { return nil }
        guard end > 0, bytes[end - 1] == 0x0D else { throw Malformed() }
        var line: [UInt8] = []
        for index in 0..<end - 1 { line.append(bytes[index]) }
        guard let text = String(validating: line, as: UTF8.self) else { throw Malformed() }
        return ProxyHeader(client: try client(text), length: end + 1)
    }

    private static func client(_ line: String) throws(Malformed) -> PeerAddress? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count > 1 else { throw Malformed() }
        // Anything after UNKNOWN must be ignored.
        if words[1] == "UNKNOWN" { return nil }
        guard words.count == 6, let port = port(words[4]), Self.port(words[5]) != nil,
            let source = PeerAddress(words[2], port: port), PeerAddress(words[3], port: 0) != nil
        else { throw Malformed() }
        let areIPv6 = words[2...3].map { $0.contains(":") }
        guard areIPv6 == [false, false] && words[1] == "TCP4" || areIPv6 == [true, true] && words[1] == "TCP6" else {
            throw Malformed()
        }
        return source
    }

    private static func port(_ text: String) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), text == "0" || !text.hasPrefix("0")
        else {
            return nil
        }
        return UInt16(text)
    }

    // MARK: Version 2

    private static func parseBinary(_ bytes: Span<UInt8>) throws(Malformed) -> ProxyHeader? {
        for index in 0..<min(12, bytes.count) where bytes[index] != binaryStart[index] { throw Malformed() }
        guard bytes.count >= 16 else { return nil }
        let content = Int(bytes[14]) << 8 | Int(bytes[15])
        guard bytes[12] >> 4 == 2, content <= longestContent else { throw Malformed() }
        guard bytes.count >= 16 + content else { return nil }
        let length = 16 + content
        switch bytes[12] & 0x0F {
        case 0: return ProxyHeader(client: nil, length: length)
        case 1: break
        default: throw Malformed()
        }
        switch bytes[13] {
        case 0x11:
            guard content >= 12 else { throw Malformed() }
            let client = PeerAddress(family: .ipv4, port: port(bytes, 24), high: 0, low: number(bytes, 16, 4))
            return ProxyHeader(client: client, length: length)
        case 0x21:
            guard content >= 36 else { throw Malformed() }
            let client = PeerAddress(port: port(bytes, 48), high: number(bytes, 16, 8), low: number(bytes, 24, 8))
            return ProxyHeader(client: client, length: length)
        default:
            // Unspecified, datagram and Unix addresses do not identify a client.
            return ProxyHeader(client: nil, length: length)
        }
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in start..<start + count { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    private static func port(_ bytes: Span<UInt8>, _ start: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: number(bytes, start, 2))
    }
}
