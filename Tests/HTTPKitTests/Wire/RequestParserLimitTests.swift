import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RequestParserLimitTests {
    private let limits = ServerLimits(requestLine: 64, headerBlock: 128, fieldCount: 5)

    private func requestLine(of length: Int) -> String {
        "GET /" + String(repeating: "a", count: length - 14) + " HTTP/1.1"
    }

    @Test func `accepts a request line at the limit and rejects one byte more`() {
        #expect(ParseAnswer(requestLine(of: 64) + "\r\nHost: a\r\n\r\n", limits: limits).head != nil)
        #expect(ParseAnswer(requestLine(of: 65) + "\r\nHost: a\r\n\r\n", limits: limits).error == .requestLineTooLong)
    }

    @Test func `rejects an endless request line without waiting for its end`() {
        #expect(ParseAnswer(requestLine(of: 64), limits: limits) == .needsMore)
        #expect(ParseAnswer(requestLine(of: 64) + "\r", limits: limits) == .needsMore)
        #expect(ParseAnswer(requestLine(of: 65), limits: limits).error == .requestLineTooLong)
    }

    @Test func `rejects a line whose method exceeds the limit as malformed`() {
        let method = String(repeating: "A", count: 100)
        for text in [method, method + " / HTTP/1.1\r\nHost: a\r\n\r\n"] {
            let answer = ParseAnswer(text, limits: limits)
            #expect(answer.error == .malformedRequestLine)
            let stops = Array(1..<text.utf8.count)
            #expect(ParseAnswer(Array(text.utf8), stops: stops, limits: limits) == answer)
        }
    }

    private func block(of length: Int) -> String {
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "v", count: length - 16) + "\r\n\r\n"
    }

    @Test func `accepts a header block at the limit and rejects one byte more`() {
        #expect(ParseAnswer(block(of: 128), limits: limits).head != nil)
        #expect(ParseAnswer(block(of: 129), limits: limits).error == .headerBlockTooLong)
    }

    @Test func `rejects an endless header block without waiting for its end`() {
        let endless = Array(block(of: 400).utf8)
        #expect(ParseAnswer(Array(endless[..<(16 + 127)]), limits: limits) == .needsMore)
        #expect(ParseAnswer(Array(endless[..<(16 + 128)]), limits: limits).error == .headerBlockTooLong)
    }

    @Test func `accepts as many fields as the limit and rejects one more`() {
        let request = { (count: Int) in
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: count - 1) + "\r\n"
        }
        #expect(ParseAnswer(request(5), limits: limits).head?.fields.count == 5)
        #expect(ParseAnswer(request(6), limits: limits).error == .tooManyFields)
    }

    @Test(arguments: [65, 66, 80, 200])
    func `rejects the same over the limits however the bytes are split`(_ length: Int) {
        for text in [requestLine(of: length) + "\r\nHost: a\r\n\r\n", block(of: length + 60)] {
            let bytes = Array(text.utf8)
            let whole = ParseAnswer(bytes, limits: limits)
            for first in 1..<bytes.count { #expect(ParseAnswer(bytes, stops: [first], limits: limits) == whole) }
            #expect(ParseAnswer(bytes, stops: Array(1..<bytes.count), limits: limits) == whole)
        }
    }

    @Test func `has the documented limits by default`() {
        let line = { (length: Int) in
            "GET /" + String(repeating: "a", count: length - 14) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        }
        #expect(ParseAnswer(line(8192)).head != nil)
        #expect(ParseAnswer(line(8193)).error?.status == 414)
        #expect(ParseAnswer(block(of: 16384)).head != nil)
        #expect(ParseAnswer(block(of: 16385)).error?.status == 431)
        let fields = { (count: Int) in
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: count - 1) + "\r\n"
        }
        #expect(ParseAnswer(fields(100)).head != nil)
        #expect(ParseAnswer(fields(101)).error?.status == 431)
    }
}
