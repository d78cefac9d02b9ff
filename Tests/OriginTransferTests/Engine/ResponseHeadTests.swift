import HTTPSemantics
import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct ResponseHeadTests {
    private func head(_ lines: String...) throws -> ResponseHead {
        var head = ResponseHead()
        for line in lines { _ = try head.take(Array((line + "\r\n").utf8)) }
        return head
    }

    @Test func `ignores the case of field names and joins repeated fields`() throws {
        let head = try head(
            "HTTP/1.1 200 OK",
            "CACHE-control:max-age=1",
            "ETag:  \"a\"\t",
            "cache-Control: public",
            "X-Other: 1",
            ""
        )
        #expect(head.status == 200)
        #expect(head.isComplete)
        #expect(head.lines["cache-control"] == "max-age=1, public")
        #expect(head.lines["etag"] == "\"a\"")
        #expect(head.lines["x-other"] == "1")
        #expect(head.lines["expires"] == nil)
    }

    @Test func `discards interim responses and ignores trailers`() throws {
        let head = try head(
            "HTTP/1.1 103 Early Hints",
            "ETag: \"early\"",
            "",
            "HTTP/2 404",
            "Age: 3",
            "",
            "Age: 9",
            "ETag: \"late\""
        )
        #expect(head.status == 404)
        #expect(head.lines["etag"] == nil)
        #expect(head.lines["age"] == "3")
    }

    @Test func `reports each interim response once, at its blank line`() throws {
        var head = ResponseHead()
        var found: [[InterimResponse]] = []
        let lines = [
            "HTTP/1.1 103 Early Hints", "Link: </a>,", " </b>", "Link: </c>", "", "HTTP/1.1 102 x", "", "",
            "HTTP/1.1 200 OK", "Link: </d>", "", "",
        ]
        for line in lines {
            _ = try head.take(Array((line + "\r\n").utf8))
            found.append(head.interim.map { [$0] } ?? [])
        }
        #expect(found.map(\.count) == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])
        let hints = try #require(found[4].first)
        #expect(hints.status == 103 && hints.fields.lines.map(\.text) == ["</a>, </b>", "</c>"])
        #expect(found[6] == [InterimResponse(status: 102, fields: FieldLines())])
        #expect(head.status == 200 && head.lines["link"] == "</d>")
    }

    @Test func `all interim responses together are limited by the length of the head`() throws {
        var head = ResponseHead()
        var count = 0
        #expect(throws: ResponseHead.Defect.tooLong) {
            while count < 10_000 {
                for line in ["HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n"] {
                    _ = try head.take(Array(line.utf8))
                }
                count += 1
            }
        }
        #expect(count == ResponseHead.maximumLength / 40)
    }

    @Test(arguments: [(100, false), (101, false), (102, true), (103, true), (199, true)])
    func `100 and 101 are not forwarded`(status: Int, isForwarded: Bool) {
        #expect(InterimResponse(status: status, fields: FieldLines()).isForwarded == isForwarded)
    }

    @Test func `reports the complete head once, at the final blank line`() throws {
        var head = ResponseHead()
        var answers: [Bool] = []
        for line in ["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "Age: 1", "", ""] {
            answers.append(try head.take(Array(line.utf8)))
        }
        #expect(answers == [false, false, false, false, true, false])
    }

    @Test(arguments: [["5", "5"], ["5, 5"], ["5", "5, 5"]])
    func `accepts equal repetitions of Content-Length`(_ values: [String]) throws {
        var head = ResponseHead()
        _ = try head.take(Array("HTTP/1.1 200 OK".utf8))
        for value in values { _ = try head.take(Array("Content-Length: \(value)".utf8)) }
        #expect(head.contentLength == 5)
    }

    @Test func `accepts lengths of up to 18 digits`() throws {
        #expect(
            try head("HTTP/1.1 200 OK", "Content-Length: 999999999999999999").contentLength == 999_999_999_999_999_999
        )
    }

    @Test(arguments: [
        ["5", "6"], ["5, 6"], ["-1"], ["+5"], ["5x"], [""], ["5,"], ["99999999999999999999"], ["0x5"],
        // Nothing that is added to a length may overflow.
        ["1000000000000000000"], ["\(Int.max)"],
    ])
    func `refuses contradictory, malformed and absurd values of Content-Length`(_ values: [String]) throws {
        var head = ResponseHead()
        _ = try head.take(Array("HTTP/1.1 200 OK".utf8))
        #expect(throws: ResponseHead.Defect.contentLength) {
            for value in values { _ = try head.take(Array("Content-Length: \(value)".utf8)) }
        }
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 abc", "HTTP/1.1 600 x", "HTTP/1.1 099 x"])
    func `refuses a malformed status line`(_ line: String) {
        #expect(throws: ResponseHead.Defect.statusLine) {
            var head = ResponseHead()
            _ = try head.take(Array(line.utf8))
        }
    }

    @Test func `refuses two different locations and accepts two equal ones`() throws {
        #expect(throws: ResponseHead.Defect.location) { try head("HTTP/1.1 302 F", "Location: /a", "location: /b") }
        #expect(try head("HTTP/1.1 302 F", "Location: /a", "location: /a")[.location] == "/a")
    }

    @Test func `joins folded lines and drops values with control characters`() throws {
        #expect(try head("HTTP/1.1 200 OK", "Vary: Accept,", "  Origin", "").lines["vary"] == "Accept, Origin")
        var head = ResponseHead()
        _ = try head.take(Array("HTTP/1.1 200 OK".utf8))
        _ = try head.take(Array("ETag: \"".utf8) + [0xFF, 0x22])
        _ = try head.take(Array("Vary: a\u{0}b".utf8))
        _ = try head.take([])
        // Bytes need not be text; a control character is refused.
        #expect(head.lines.line("etag")?.value == [0x22, 0xFF, 0x22])
        #expect(head.lines["vary"] == nil)
    }

    @Test func `limits the length of the head`() throws {
        var head = ResponseHead()
        _ = try head.take(Array("HTTP/1.1 200 OK".utf8))
        let rest = ResponseHead.maximumLength - 15
        _ = try head.take(Array(repeating: UInt8(ascii: "a"), count: rest))
        #expect(throws: ResponseHead.Defect.tooLong) { _ = try head.take([UInt8(ascii: "a")]) }
    }
}
