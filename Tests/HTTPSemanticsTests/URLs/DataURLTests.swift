import HTTPSemantics
import Testing

/// RFC 2397, and the WHATWG's "data: URL processor" where it is more precise.
@Suite(.timeLimit(.minutes(1)))
struct DataURLTests {
    @Test(arguments: [
        ("data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note"),
        ("DATA:image/png;base64,Zm9v", "image/png", "foo"),
        ("data:image/png;BASE64,Zm9vYg", "image/png", "foob"),
        ("data:image/png;base64,Zm%39v%0A", "image/png", "foo"),
        ("data:;base64,Zg==", "text/plain;charset=US-ASCII", "f"),
        ("data:;charset=utf-8,x,y", "text/plain;charset=utf-8", "x,y"),
        ("data:image/svg+xml,<svg id=\"a\"/>", "image/svg+xml", "<svg id=\"a\"/>"),
        ("data:image/svg+xml,<svg/>#part", "image/svg+xml", "<svg/>"),
        ("data:text/plain,100%", "text/plain", "100%"),
        ("data:text/\u{e9}\r\n,x", "text/plain;charset=US-ASCII", "x"),
        ("data:,", "text/plain;charset=US-ASCII", ""),
    ])
    func `parses type and content`(text: String, type: String, content: String) throws {
        let data = try DataURL(text)
        #expect(data.mediaType == type)
        #expect(String(decoding: data.bytes, as: UTF8.self) == content)
    }

    @Test(arguments: [
        ("http://a/", DataURL.Defect.scheme), ("data", .scheme), ("data:image/png;base64", .comma), ("data:", .comma),
        ("data:image/png;base64,Zm9v!", .base64), ("data:image/png;base64,Z", .base64),
        ("data:image/png;base64,-_-_", .base64),
    ])
    func `names what is wrong`(text: String, defect: DataURL.Defect) {
        #expect(throws: defect) { try DataURL(text) }
    }
}
