import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProxyHeaderTests {
    private static let start: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// A version 2 header.
    private static func binary(_ command: UInt8, _ family: UInt8, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? content.count
        return start + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }

    private static let ipv4: [UInt8] = [10, 1, 2, 3, 127, 0, 0, 1, 0x30, 0x39, 0, 80]
    private static let ipv6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 15) + [
            1, 0x30, 0x39, 0, 80,
        ]

    private func parse(_ bytes: [UInt8]) throws(ProxyHeader.Malformed) -> ProxyHeader? {
        try ProxyHeader.parse(bytes.span)
    }

    @Test(
        arguments: [
            ("PROXY TCP4 10.1.2.3 127.0.0.1 12345 80\r\n", "10.1.2.3", 12345),
            ("PROXY TCP6 2001:db8::7 ::1 12345 80\r\n", "2001:db8::7", 12345),
            ("PROXY UNKNOWN\r\n", nil, 0), ("PROXY UNKNOWN ff::1 whatever 1 2\r\n", nil, 0),
        ] as [(String, String?, UInt16)]
    )
    func `reads version 1, however it is split`(text: String, client: String?, port: UInt16) throws {
        let bytes = Array(text.utf8)
        for end in 0..<bytes.count { #expect(try parse(Array(bytes[..<end])) == nil, "\(end)") }
        let header = try #require(try parse(bytes + Array("GET / HTTP/1.1\r\n".utf8)))
        #expect(header.length == bytes.count)
        #expect(header.client?.description == client)
        if client != nil { #expect(header.client?.port == port) }
    }

    @Test(
        arguments: [
            (binary(0x21, 0x11, ipv4), "10.1.2.3"), (binary(0x21, 0x21, ipv6), "2001:db8::7"),
            (binary(0x21, 0x11, ipv4 + [3, 0, 4, 1, 2, 3, 4]), "10.1.2.3"), (binary(0x20, 0x00, []), nil),
            (binary(0x20, 0x11, ipv4), nil), (binary(0x21, 0x00, []), nil),
            (binary(0x21, 0x31, [UInt8](repeating: 0, count: 216)), nil),
            (
                binary(
                    0x21,
                    0x21,
                    [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 9, 8, 7, 6] + [UInt8](repeating: 0, count: 20)
                ), "9.8.7.6"
            ),
        ] as [([UInt8], String?)]
    )
    func `reads version 2, however it is split`(bytes: [UInt8], client: String?) throws {
        for end in 0..<bytes.count { #expect(try parse(Array(bytes[..<end])) == nil, "\(end)") }
        let header = try #require(try parse(bytes + [0x47]))
        #expect(header.length == bytes.count)
        #expect(header.client?.description == client)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY \r\n", "PROXY TCP4\r\n", "proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\n", "PROXY TCP4 1.1.1.1 2.2.2.2 1 2 3\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 65536\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 01 2\r\n", "PROXY TCP4 1.1.1.1 2.2.2.2 +1 2\r\n",
        "PROXY TCP4 1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n", "PROXY TCP4  1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 example.com 2.2.2.2 1 2\r\n", "PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1\0 2.2.2.2 1 2\r\n",
        "PROXY UNKNOWN " + String(repeating: "a", count: 100) + "\r\n",
    ])
    func `rejects an invalid version 1 header`(text: String) {
        #expect(throws: ProxyHeader.Malformed.self) { try parse(Array(text.utf8)) }
    }

    @Test func `rejects an invalid version 2 header`() {
        let wrong = [
            Self.binary(0x11, 0x11, Self.ipv4), Self.binary(0x22, 0x11, Self.ipv4), Self.binary(0x21, 0x11, [1, 2, 3]),
            Self.binary(0x21, 0x21, Self.ipv4), Self.binary(0x21, 0x11, [], length: 2049), [0x0D, 0x0A, 0x0D, 0x0B],
        ]
        for bytes in wrong { #expect(throws: ProxyHeader.Malformed.self) { try parse(bytes) } }
    }

    @Test func `rejects an endless line`() {
        let bytes = Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 0x61, count: 93)
        #expect(throws: ProxyHeader.Malformed.self) { try parse(bytes) }
    }
}
