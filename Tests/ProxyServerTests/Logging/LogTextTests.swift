import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct LogTextTests {
    private func quoted(_ bytes: [UInt8], limit: Int = 100) -> String {
        var line: [UInt8] = []
        LogText.appendQuoted(bytes.span, limit: limit, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    private func quoted(_ text: String, limit: Int = 100) -> String {
        var line: [UInt8] = []
        LogText.appendQuoted(text, limit: limit, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    @Test func `escapes bytes that end a line or a quote, or start a control sequence`() {
        for byte in UInt8.min...UInt8.max {
            let text = quoted([0x61, byte, 0x62])
            let inner = text.dropFirst().dropLast()
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            #expect(inner.utf8.count == (isPlain ? 3 : byte == 0x22 || byte == 0x5C ? 4 : 8), "\(byte)")
        }
        #expect(quoted(Array("a\"\n\\".utf8)) == #""a\"\u000a\\""#)
        #expect(quoted([0x1B, 0xFF]) == #""\u001b\u00ff""#)
    }

    @Test(arguments: [
        ("plain ä 漢 🦊", "\"plain ä 漢 🦊\""), ("a\r\nb", #""a\u000d\u000ab""#),
        ("\u{7F}\u{85}\u{9B}", #""\u007f\u0085\u009b""#),
        ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\u{202E}x\u{2066}", #""\u202ex\u2066""#),
        ("\u{FEFF}\u{200B}", #""\ufeff\u200b""#),
        ("\"\\", #""\"\\""#), ("", "\"\""),
    ])
    func `keeps visible characters and escapes all others`(text: String, expected: String) {
        #expect(quoted(text) == expected)
    }

    @Test func `truncates long text`() {
        #expect(quoted(Array("abcdef".utf8), limit: 6) == "\"abcdef\"")
        #expect(quoted(Array("abcdefg".utf8), limit: 6) == #""abcdef\u2026""#)
        #expect(quoted("äöü", limit: 3) == "\"äöü\"")
        #expect(quoted("äöüß", limit: 3) == #""äöü\u2026""#)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 1_234_567, .max, -1, .min] as [Int64])
    func `writes numbers`(value: Int64) {
        var line: [UInt8] = Array("x".utf8)
        LogText.append(value, to: &line)
        #expect(String(decoding: line, as: UTF8.self) == "x\(value)")
    }

    @Test(arguments: [
        (ClientAddress.ipv4(0x7F00_0001), "127.0.0.1"), (.ipv4(0xFFFF_FFFF), "255.255.255.255"), (.ipv4(0), "0.0.0.0"),
        (.unix, "unix"),
        (.ipv6(0, 1), "::1"), (.ipv6(0, 0), "::"), (.ipv6(0x2001_0DB8_0000_0000, 1), "2001:db8::1"),
        (.ipv6(0x2001_0DB8_0000_0001, 0x0001_0001_0001_0001), "2001:db8:0:1:1:1:1:1"),
        (.ipv6(0x2001_0000_0000_0001, 0x0000_0000_0000_0001), "2001:0:0:1::1"),
        (.ipv6(0x2001_0DB8_0000_0000, 0x0001_0000_0000_0001), "2001:db8::1:0:0:1"),
        (.ipv6(0x0001_0002_0003_0004, 0x0005_0006_0007_0000), "1:2:3:4:5:6:7:0"),
        (.ipv6(0x0001_0000_0000_0000, 0), "1::"),
    ])
    func `writes addresses`(address: ClientAddress, expected: String) {
        var line: [UInt8] = []
        address.append(to: &line)
        #expect(String(decoding: line, as: UTF8.self) == expected)
    }

    @Test func `writes times`() {
        var timestamp = TimestampText()
        for (second, text) in [
            (0 as Int64, "1970-01-01T00:00:00Z"), (784_111_777, "1994-11-06T08:49:37Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (-5, "1970-01-01T00:00:00Z"),
        ] {
            timestamp.update(to: second)
            #expect(String(decoding: timestamp.bytes, as: UTF8.self) == text)
        }
    }
}
