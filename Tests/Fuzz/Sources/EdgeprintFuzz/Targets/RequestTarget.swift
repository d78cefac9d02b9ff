import HTTPKit
import ImagePlan

/// The parser of HTTP request heads.
enum RequestTarget: FuzzTarget {
    static let name = "request"

    static let seeds: [[UInt8]] = [
        "GET /photos/cat.jpg?w=320 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://example.com:80/a%20b?c=d HTTP/1.1\r\nHost: [::1]:8080\r\nAccept: image/avif,*/*;q=0.8\r\n\r\n",
        "POST /purge HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{\"a\"}",
        "\r\nPUT /x HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\nRange: bytes=0-4,6-\r\nIf-Range: \"x\"\r\n\r\n",
        "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
    ].map { Array($0.utf8) }

    static let dictionary = [
        "GET ", "HEAD ", "OPTIONS ", "CONNECT ", "PURGE ", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "\r\n\r\n", "\r\n",
        "Host: ",
        "Content-Length: ", "Transfer-Encoding: chunked", "Connection: close", "keep-alive", "Expect: 100-continue",
        "http://",
        "https://", "[::1]", ":80", "%2F", "..",
    ]

    static func run(_ bytes: [UInt8]) {
        let parser = RequestParser(limits: ServerLimits(requestLine: 200, headerBlock: 400, fieldCount: 8))
        let whole = outcome(parser, bytes, every: bytes.count)
        // The result does not depend on how reads split the bytes.
        for size in [1, 2, 7] { expectEqual(outcome(parser, bytes, every: size), whole, "read by \(size)") }
    }

    /// A head, or the reason why there is none.
    private enum Outcome: Hashable {
        case incomplete
        case refused(ParseError)
        case head(consumed: Int, summary: String)
    }

    private static func outcome(_ parser: RequestParser, _ bytes: [UInt8], every size: Int) -> Outcome {
        var head = RequestHead()
        var progress = ParseProgress()
        var count = 0
        repeat {
            count = min(bytes.count, count + max(1, size))
            do {
                guard
                    case .complete(let consumed) = try parser.parse(
                        bytes.span.extracting(first: count),
                        &progress,
                        into: &head
                    )
                else { continue }
                return .head(consumed: consumed, summary: summary(head, bytes, consumed))
            } catch {
                return .refused(error)
            }
        } while count < bytes.count
        return .incomplete
    }

    /// The facts about a head as text; the ranges must be within it.
    private static func summary(_ head: borrowing RequestHead, _ bytes: [UInt8], _ consumed: Int) -> String {
        expect(consumed <= bytes.count, "consumed \(consumed) of \(bytes.count)")
        let path = Array(bytes[head.pathAndQuery])
        var facts = [
            "\(head.method)", "\(head.target)", "\(head.pathAndQuery)", "\(String(describing: head.authority))",
            "\(head.minorVersion)", "\(head.keepAlive)", "\(head.framing)", "\(head.expectsContinue)",
        ]
        for field in head.fields {
            expect(field.name.lowerBound >= 0 && field.name.upperBound <= field.value.lowerBound, "\(field)")
            expect(field.value.upperBound + 4 <= consumed, "\(field)")
            facts.append("\(field.name) \(field.value)")
        }
        if let end = path.firstIndex(of: UInt8(ascii: "?")) {
            _ = try? RequestPath.parse(Array(path[..<end]))
            _ = try? RequestLanguage.parse(query: Array(path[(end + 1)...]), options: ParseOptions())
        } else {
            _ = try? RequestPath.parse(path)
        }
        return facts.joined(separator: " ")
    }
}
