import HTTPKit
import Testing

/// All pairs of framing fields, in both versions: the source of request smuggling.
@Suite(.timeLimit(.minutes(1))) struct FramingTests {
    enum Expected: Sendable {
        case framing(RequestHead.Framing)
        case error(ParseError)
    }

    static let single: [(String, Expected)] = [
        ("", .framing(.none)),
        ("Content-Length: 0", .framing(.length(0))),
        ("Content-Length: 5", .framing(.length(5))),
        ("Content-Length: 007", .framing(.length(7))),
        ("Content-Length:", .error(.invalidContentLength)),
        ("Content-Length: -1", .error(.invalidContentLength)),
        ("Content-Length: +1", .error(.invalidContentLength)),
        ("Content-Length: 0x5", .error(.invalidContentLength)),
        ("Content-Length: 5, 5", .error(.invalidContentLength)),
        ("Content-Length: 5 5", .error(.invalidContentLength)),
        ("Content-Length: 9999999999999999999", .error(.invalidContentLength)),
        ("Content-Length: 18446744073709551621", .error(.invalidContentLength)),
        ("Content-Length: 5\r\nContent-Length: 5", .framing(.length(5))),
        ("Content-Length: 5\r\nContent-Length: 6", .error(.invalidContentLength)),
        ("Transfer-Encoding: chunked", .framing(.chunked)),
        ("Transfer-Encoding: Chunked", .framing(.chunked)),
        ("Transfer-Encoding: gzip, chunked", .error(.unsupportedTransferCoding)),
        ("Transfer-Encoding: gzip", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: identity", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: chunked, gzip", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: chunked, chunked", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: xchunked", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: chunked;q=1", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: \u{b}chunked", .error(.invalidFieldValue)),
        ("Transfer-Encoding:", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: , chunked", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: chunked,", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: gzip,, chunked", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: gzip chunked", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: chunked, gzip, chunked", .error(.invalidTransferEncoding)),
        ("Transfer-Encoding: x;q=\"1\" , chunked", .error(.unsupportedTransferCoding)),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .error(.invalidTransferEncoding)),
    ]

    @Test(arguments: single)
    func `reads one framing`(_ fixture: (fields: String, expected: Expected)) {
        let fields = fixture.fields.isEmpty ? "" : fixture.fields + "\r\n"
        let answer = ParseAnswer("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        switch fixture.expected {
        case .framing(let framing): #expect(answer.head?.framing == framing)
        case .error(let error): #expect(answer.error == error)
        }
    }

    @Test(
        arguments: ["Content-Length: 0", "Content-Length: 5"],
        ["Transfer-Encoding: chunked", "transfer-encoding: gzip, chunked"]
    )
    func `rejects both framings together in either order`(_ length: String, _ coding: String) {
        let one = ParseAnswer("POST / HTTP/1.1\r\nHost: a\r\n\(length)\r\n\(coding)\r\n\r\n")
        #expect(one.error == .conflictingFraming)
        let other = ParseAnswer("POST / HTTP/1.1\r\n\(coding)\r\nHost: a\r\n\(length)\r\n\r\n").error
        #expect(other == .conflictingFraming || other == .unsupportedTransferCoding)
    }

    @Test func `rejects transfer codings in HTTP 1.0`() {
        let answer = ParseAnswer("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(answer.error == .invalidTransferEncoding)
    }

    @Test func `supports 100-continue in HTTP 1.1 only`() {
        #expect(ParseAnswer("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n").head?.expectsContinue == true)
        #expect(ParseAnswer("PUT / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\n\r\n").head?.expectsContinue == false)
    }
}
