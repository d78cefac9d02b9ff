import Dialects
import ImagePlan
import OriginTransfer
import TestSupport
import Testing

/// The image and the signature of imgproxy's URLs.
@Suite(.timeLimit(.minutes(1)))
struct ImgproxySourceTests {
    private func translate(_ path: String, query: String = "") throws -> Translation {
        try Dialect.imgproxy.translate(path: Array(path.utf8), query: Array(query.utf8))
    }

    private let curiosity = Translation.Image.url("http://example.com/images/curiosity.jpg")

    @Test(arguments: [
        "/_/plain/http://example.com/images/curiosity.jpg", "/_/plain/http%3A%2F%2Fexample.com%2Fimages/curiosity.jpg",
        "/_/w:9/plain/http:/example.com/images/curiosity.jpg@png",
        "/_/w%3A9/plain/http://example.com/images/curiosity.jpg",
        "/_/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
        "/_/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn==",
    ])
    func `plain and encoded URLs`(path: String) throws {
        #expect(try translate(path).image == curiosity)
        // As in imgproxy, a query changes nothing.
        #expect(try translate(path, query: "v=3").image == curiosity)
    }

    @Test(arguments: [
        ("/_/plain/local:///logos/a%20b.png", "logos/a%20b.png"), ("/_/plain/local:/logos/a.png", "logos/a.png"),
        ("/_/plain/images/caf%C3%A9.jpg@webp", "images/caf%C3%A9.jpg"), ("/_/plain//images/a.jpg", "images/a.jpg"),
        ("/_/aW1hZ2VzL2EuanBn", "images/a.jpg"), ("/_/plain/a%2540b%253F.jpg", "a%2540b%253F.jpg"),
        ("/_/plain/a%40b.jpg@png", "a@b.jpg"),
    ])
    func `local files and names without a scheme are paths`(path: String, expected: String) throws {
        #expect(try translate(path).image == .path(expected))
    }

    @Test func `other schemes stay`() throws {
        #expect(try translate("/_/plain/s3://bucket/a/b.jpg@png").image == .url("s3://bucket/a/b.jpg"))
        #expect(try translate("/_/plain/http://a.example/b%3Fc=d%26e").image == .url("http://a.example/b?c=d&e"))
    }

    @Test func `an encrypted URL is its bytes`() throws {
        // The example of imgproxy's documentation: 16 bytes of initialisation vector, and 48 of text.
        let path =
            "/_/w:9/enc/p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3/qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ.png"
        guard case .encrypted(let bytes) = try translate(path).image else {
            Issue.record("not encrypted")
            return
        }
        #expect(bytes.count == 64 && bytes.prefix(3) == [0xA7, 0x95, 0x63])
    }

    @Test func `the signature covers the path after it`() throws {
        // The example of imgproxy's documentation: key "secret", salt "hello".
        let rest = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        let translation = try translate("/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8\(rest)")
        let code = HMACSHA256.code(of: Array("hello\(rest)".utf8), key: Array("secret".utf8))
        #expect(translation.signature == .stated(code: code, message: Array(rest.utf8)))
        #expect(translation.query == "w=300&h=400&fit=crop&gravity=attention&anim=first&format=png")
        // Shortened, and what proxies did to the path is undone first.
        let short = try translate("/oWaL7QoW5Ts/w%3A9/plain/http:/a.example/b")
        guard case .stated(let bytes, let message) = short.signature else {
            Issue.record("no signature")
            return
        }
        #expect(bytes.count == 8 && message == Array("/w:9/plain/http://a.example/b".utf8))
    }

    @Test(arguments: ["unsafe", "insecure", "_", "not+base64", "x"])
    func `what is no code is no signature`(text: String) throws {
        #expect(try translate("/\(text)/w:9/plain/a.jpg").signature == .none)
    }

    @Test(arguments: [
        "", "/", "/_", "/_/", "//w:9/plain/a", "/_/w:9", "/_/w:9/plain", "/_/w:9/plain/", "/_/plain/@png",
        "/_/plain/a@b@png",
        "/_/YQ.png.webp", "/_/.png", "/_/a", "/_/enc/YQ", "/_/enc/", "/_/plain/%zz", "/_/plain/a%00b", "/_/plain/a%ff",
        "/_/_w", "/_/plain/local:///", "/_/plain/local:///a%3Fb", "/_/plain/a%3Fb", "/_/plain/http://",
        "/w:9/plain/a/b",
        "/_/fit/300/200/ce/0/YWJj", "_/plain/a",
    ])
    func `what has no image is refused by name`(path: String) {
        let error = #expect(throws: RequestError.self) { try translate(path) }
        #expect(error?.parameter == "path")
    }

    @Test func `bytes that are no text are refused`() {
        let error = #expect(throws: RequestError.self) {
            try Dialect.imgproxy.translate(path: Array("/_/plain/".utf8) + [0xFF], query: [])
        }
        #expect(error?.parameter == "path")
    }
}
