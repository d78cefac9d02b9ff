import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RequestParserTests {
    static let accepted: [(String, String)] = [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / a"),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / a"),
        ("HEAD /a/b?c=d&e HTTP/1.1\r\nHost: a:80\r\nAccept: */*\r\n\r\n", "HEAD /a/b?c=d&e a:80"),
        ("GET http://b.example/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "GET /x?y b.example"),
        ("GET HTTPS://b.example:8443 HTTP/1.1\r\nHost: a\r\n\r\n", "GET  b.example:8443"),
        ("GET http://b?q HTTP/1.1\r\nHost: a\r\n\r\n", "GET ?q b"),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * a"),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "CONNECT  a:443"),
        ("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", "BREW /pot a"),
        ("get / HTTP/1.1\r\nHost: a\r\n\r\n", "get / a"),
        ("GET / HTTP/1.0\r\n\r\n", "GET / -"),
        ("GET / HTTP/1.9\r\nHost: a:\r\n\r\n", "GET / a:"),
        ("GET / HTTP/1.1\r\nHost: a%2Db.example:65535\r\n\r\n", "GET / a%2Db.example:65535"),
        ("GET / HTTP/1.1\r\nHost: [2001:db8::192.0.2.1]\r\n\r\n", "GET / [2001:db8::192.0.2.1]"),
        (
            "\(String(repeating: "M", count: 32)) / HTTP/1.1\r\nHost: a\r\n\r\n",
            "\(String(repeating: "M", count: 32)) / a"
        ),
        ("GET /\u{e4} HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "GET /\u{e4} [::1]:8080"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \t v  w \t\r\nY:\r\n\r\n", "GET / a"),
        ("DELETE / HTTP/1.1\r\nhOsT:a\r\nX-\u{60}|~^_: \u{e9}\r\n\r\n", "DELETE / a"),
    ]

    @Test(arguments: accepted)
    func `accepts what RFC 9112 allows`(_ fixture: (text: String, summary: String)) throws {
        let head = try #require(ParseAnswer(fixture.text).head)
        #expect("\(head.method) \(head.path) \(head.authority ?? "-")" == fixture.summary)
        #expect(head.consumed == fixture.text.utf8.count)
    }

    static let refused: [(String, ParseError)] = [
        ("GET / HTTP/1.1\nHost: a\n\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed),
        ("\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .invalidMethod),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .invalidMethod),
        (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .invalidMethod),
        ("GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", .invalidMethod),
        ("\u{16}\u{3}\u{1}", .invalidMethod),
        ("\r\n\u{16}\u{3}\u{1}", .invalidMethod),
        ("GET\r\n\r\n", .invalidMethod),
        ("GET /\r\n\r\n", .malformedRequestLine),
        ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .invalidVersion),
        ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", .invalidVersion),
        ("GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET /a\0 HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET http://u@h/ HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .invalidVersion),
        ("GET / http/1.1\r\nHost: a\r\n\r\n", .invalidVersion),
        ("GET / HTTP/11\r\nHost: a\r\n\r\n", .invalidVersion),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion),
        ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .obsoleteFolding),
        ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .obsoleteFolding),
        ("GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n", .obsoleteFolding),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .invalidFieldName),
        ("GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", .invalidFieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", .invalidFieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\nNoColon\r\n\r\n", .invalidFieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\u{e4}: b\r\n\r\n", .invalidFieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n", .invalidFieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", .invalidFieldValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", .invalidFieldValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7f}b\r\n\r\n", .invalidFieldValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: 0123456\u{1}9abcdef\r\n\r\n", .invalidFieldValue),
        ("GET / HTTP/1.1\r\n\r\n", .missingHost),
        ("GET http://a/ HTTP/1.1\r\n\r\n", .missingHost),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .invalidHost),
        ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .invalidHost),
        ("\(String(repeating: "M", count: 33)) / HTTP/1.1\r\nHost: a\r\n\r\n", .methodTooLong),
        ("CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
        ("CONNECT a: HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget),
    ]

    @Test(arguments: [
        "", ":80", "a:80:90", "a:99999", "a:65536", "a:5a", "a:-1", "a:+1", "a%", "a%2", "a%zz", "a[b]", "[::1", "::1",
        "[]", "[::1]a", "[::1]:", "[::1]:99999", "[1::2::3]", "[fe80::1%25eth0]", "[v1.a]", "[127.0.0.1]", "[a]",
        "a\"b",
        "[\(String(repeating: "0", count: 46))]",
    ])
    func `rejects an invalid authority in Host and in the target`(_ text: String) {
        // An empty port means the default one (RFC 3986 §3.2.3).
        let isGood = text == "[::1]:"
        let host = ParseAnswer("GET / HTTP/1.1\r\nHost: \(text)\r\n\r\n")
        #expect(isGood ? host.head?.authority == text : host.error == .invalidHost)
        let target = ParseAnswer("GET http://\(text)/ HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(isGood ? target.head?.authority == text : target.error == .invalidTarget)
    }

    @Test(arguments: refused)
    func `rejects what RFC 9112 forbids`(_ fixture: (text: String, error: ParseError)) {
        #expect(ParseAnswer(fixture.text).error == fixture.error)
    }

    @Test(arguments: accepted.map(\.0) + refused.map(\.0))
    func `parses the same however the bytes are split`(_ text: String) {
        let bytes = Array(text.utf8)
        let whole = ParseAnswer(bytes)
        for first in 1..<bytes.count {
            #expect(ParseAnswer(bytes, stops: [first]) == whole, "split at \(first)")
        }
        #expect(ParseAnswer(bytes, stops: Array(1..<bytes.count)) == whole, "byte by byte")
    }

    @Test func `needs more bytes for every proper prefix of a valid head`() {
        for (text, _) in Self.accepted {
            let bytes = Array(text.utf8)
            for length in 0..<bytes.count { #expect(ParseAnswer(Array(bytes[..<length])) == .needsMore) }
        }
    }

    @Test func `leaves what follows the head`() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(ParseAnswer(text + "GET /2 HTT").head?.consumed == text.utf8.count)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "Keep-Alive", true),
        ("HTTP/1.1", "keep-alive, Close", false), ("HTTP/1.1", "x ,\tclose ", false), ("HTTP/1.1", "closed", true),
        ("HTTP/1.1", "close\r\nConnection: keep-alive", false),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "keep-alive", true), ("HTTP/1.0", "close, keep-alive", false),
    ])
    func `determines whether to keep the connection`(_ version: String, _ value: String, _ expected: Bool) {
        let field = value.isEmpty ? "" : "Connection: \(value)\r\n"
        #expect(ParseAnswer("GET / \(version)\r\nHost: a\r\n\(field)\r\n").head?.keepAlive == expected)
    }

    @Test func `trims white space around values only`() {
        let head = ParseAnswer("GET / HTTP/1.1\r\nHost: a\r\nX:\t a  b\t \r\nY:   \r\n\r\n").head
        #expect(head?.fields == ["Host=a", "X=a  b", "Y="])
    }
}
