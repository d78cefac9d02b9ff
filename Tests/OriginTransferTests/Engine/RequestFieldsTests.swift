import HTTPSemantics
import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct RequestFieldsTests {
    private func lines(
        _ headers: [(String, String)],
        tag: String? = nil,
        modified: String? = nil,
        withSource: Bool = true
    ) -> [String] {
        var options = TransferOptions(source: "test")
        options.headers = headers.map { HeaderField(name: $0.0, value: $0.1) }
        let request = TransferRequest(.file("a"), options: options, entityTag: tag, lastModified: modified)
        return RequestFields.lines(request, withSource: withSource, userAgent: "Edgeprint/1", pseudonym: "edge")
    }

    private let own = ["Accept: image/*,*/*;q=0.8", "User-Agent: Edgeprint/1", "Via: 1.1 edge", "CDN-Loop: edge"]

    @Test func `sends User-Agent and Accept`() {
        #expect(lines([]) == own)
    }

    @Test func `sends the source's fields, including repeated ones, and lets them replace the daemon's`() {
        let made = lines([
            ("Authorization", "Bearer x"), ("X-A", "1"), ("x-a", "2"), ("user-agent", "Other"), ("X-Empty", ""),
        ])
        #expect(made.contains("Authorization: Bearer x"))
        #expect(made.filter { $0.lowercased().hasPrefix("x-a:") } == ["X-A: 1", "x-a: 2"])
        #expect(made.filter { $0.lowercased().hasPrefix("user-agent") } == ["user-agent: Other"])
        #expect(made.contains("X-Empty;"))
    }

    @Test func `withholds the source's fields from another host`() {
        #expect(lines([("Authorization", "Bearer x")], withSource: false) == own)
    }

    @Test func `sends validators unchanged`() {
        #expect(
            lines([], tag: "W/\"a\"", modified: "Thu, 01 Jan 1970 00:00:00 GMT").suffix(2) == [
                "If-None-Match: W/\"a\"", "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
            ]
        )
    }

    @Test(arguments: [
        ("Connection", "close"), ("transfer-encoding", "chunked"), ("Content-Length", "3"), ("Range", "bytes=0-1"),
        ("If-None-Match", "x"), ("TE", "gzip"), ("", "x"), ("A B", "x"), ("A:", "x"), ("A\r\nB", "x"), ("Ä", "x"),
        ("A", "x\r\nB: y"), ("cdn-loop", "x"), ("Via", "1.1 x"), ("A", "x\u{0}"), ("A", "x\ny"),
    ])
    func `drops fields that would change the request's framing or meaning`(_ name: String, _ value: String) {
        #expect(lines([(name, value)]) == own)
    }

    @Test func `appends itself to Via and CDN-Loop`() {
        var request = TransferRequest(.file("a"), options: TransferOptions(source: "test"))
        request.caller = OriginCaller(via: "1.1 nginx", cdnLoop: "cdn;n=1, edge2")
        let made = RequestFields.lines(request, withSource: true, userAgent: "Edgeprint/1", pseudonym: "edge")
        #expect(made.suffix(2) == ["Via: 1.1 nginx, 1.1 edge", "CDN-Loop: cdn;n=1, edge2, edge"])
    }

    @Test func `drops a validator that would inject another field`() {
        #expect(lines([], tag: "\"a\"\r\nX: y") == own)
    }
}
