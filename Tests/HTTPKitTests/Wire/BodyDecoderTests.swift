import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct BodyDecoderTests {
    private func decode(_ text: String, _ framing: RequestHead.Framing, limit: Int = 100, stops: [Int] = []) -> Result<
        String, ParseError
    > {
        let bytes = Array(text.utf8)
        var used = 0
        do throws(ParseError) {
            var decoder = try BodyDecoder(framing, limit: limit)
            for stop in stops + [bytes.count] where !decoder.isComplete {
                used = try decoder.take(bytes.span.extracting(0..<stop), from: used)
            }
            let content = String(decoding: decoder.content, as: UTF8.self)
            return .success("\(content)|\(decoder.isComplete ? "" : "…")\(bytes.count - used)")
        } catch {
            return .failure(error)
        }
    }

    static let chunked: [(String, Result<String, ParseError>)] = [
        ("0\r\n\r\n", .success("|0")),
        ("3\r\nabc\r\n0\r\n\r\n", .success("abc|0")),
        ("3\r\nabc\r\n00a\r\n0123456789\r\n0\r\n\r\nGET", .success("abc0123456789|3")),
        ("3;x=\"y\"\r\nabc\r\n0\r\nTrailer: 1\r\nB: 2\r\n\r\n", .success("abc|0")),
        ("3 ;x\r\nabc\r\n0\r\n\r\n", .success("abc|0")),
        ("3 \t;x\r\nabc\r\n0\r\n\r\n", .success("abc|0")),
        ("3;a;b=c ; d = \"e;\\\"\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a;b=c ; d = \"e;\\\"f\" ;g\r\nabc\r\n0;h=\"\"\r\n\r\n", .success("abc|0")),
        ("3;\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a;\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;;a\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;bad[=x\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;=x\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a=\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a==b\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a=\"x\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a=\"x\"y\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a b\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a \r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3;a=\"\u{1}\"\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3 0\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3 \r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3 x\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3\r\nab", .success("ab|…0")),
        ("3\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3\r\nabcd\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3\r\nabc\n0\r\n\r\n", .failure(.invalidChunk)),
        ("\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("x\r\n", .failure(.invalidChunk)),
        ("-1\r\n", .failure(.invalidChunk)),
        ("0x3\r\nabc\r\n", .failure(.invalidChunk)),
        ("3;a\nb\r\nabc\r\n0\r\n\r\n", .failure(.invalidChunk)),
        ("3\rabc", .failure(.invalidChunk)),
        ("0\r\nno colon\r\n\r\n", .failure(.invalidChunk)),
        ("0\r\n\rx", .failure(.invalidChunk)),
        ("0000000000000003\r\nabc\r\n", .failure(.invalidChunk)),
        ("65\r\n", .failure(.bodyTooLong)),
        ("fffffffffffffff\r\n", .failure(.bodyTooLong)),
        ("60\r\n" + String(repeating: "a", count: 96) + "\r\n5\r\n", .failure(.bodyTooLong)),
    ]

    @Test(arguments: chunked)
    func `decodes chunks the same however they are split`(
        _ fixture: (text: String, expected: Result<String, ParseError>)
    ) {
        #expect(decode(fixture.text, .chunked) == fixture.expected)
        let count = fixture.text.utf8.count
        for first in 1..<count { #expect(decode(fixture.text, .chunked, stops: [first]) == fixture.expected) }
        #expect(decode(fixture.text, .chunked, stops: Array(1..<count)) == fixture.expected)
    }

    @Test func `accepts a body at the limit and rejects one byte more`() {
        #expect(decode("abcd", .length(4), limit: 4) == .success("abcd|0"))
        #expect(decode("abcde", .length(5), limit: 4) == .failure(.bodyTooLong))
        #expect(decode("4\r\nabcd\r\n0\r\n\r\n", .chunked, limit: 4) == .success("abcd|0"))
        #expect(decode("5\r\nabcde\r\n0\r\n\r\n", .chunked, limit: 4) == .failure(.bodyTooLong))
    }

    @Test func `leaves what follows a body of known length`() {
        #expect(decode("abcGET", .length(3)) == .success("abc|3"))
        #expect(decode("ab", .length(3)) == .success("ab|…0"))
    }

    @Test func `limits extensions and trailers`() {
        let long = String(repeating: "x", count: 17 * 1024)
        #expect(decode("3;\(long)\r\nabc\r\n0\r\n\r\n", .chunked) == .failure(.invalidChunk))
        #expect(decode("0\r\nA: \(long)\r\n\r\n", .chunked) == .failure(.invalidChunk))
    }

    /// Collects what it is given.
    private final class Collector: RequestBodySink {
        var parts: [[UInt8]] = []

        func append(_ bytes: UnsafeRawBufferPointer) { unsafe parts.append(Array(bytes)) }
    }

    @Test(arguments: [RequestHead.Framing.length(5), .chunked])
    func `gives content to a sink as it arrives, within the same limits`(framing: RequestHead.Framing) throws {
        let text = framing == .chunked ? "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" : "abcde"
        let sink = Collector()
        var decoder = try BodyDecoder(framing, limit: 5, sink: sink)
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            #expect(try decoder.take(bytes.span.extracting(0..<index + 1), from: index) == index + 1)
        }
        #expect(decoder.isComplete && decoder.content.isEmpty)
        #expect(sink.parts == Array("abcde".utf8).map { [$0] })
        #expect(throws: ParseError.bodyTooLong) {
            var decoder = try BodyDecoder(framing, limit: 4, sink: Collector())
            _ = try decoder.take(bytes.span, from: 0)
        }
    }
}
