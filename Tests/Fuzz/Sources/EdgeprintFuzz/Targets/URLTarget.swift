import HTTPSemantics
import ImagePlan

/// The URLs of origins, and the paths of requests.
enum URLTarget: FuzzTarget {
    static let name = "url"

    static let seeds: [[UInt8]] = [
        "http://example.com/a/../b%20c?d=e#f", "https://[::1]:8443/", "http://127.1/x", "http://0x7f000001",
        "HTTP://A.b:80/%7e%zz",
        "//other/x", "../a/./b", "?q", "http://example.com:/%C3%A9\u{E9}", "data:image/png;base64,iVBORw0KGgo=",
        "/photos/a%2Fb//c.jpg", "/fetch/..%2f", "http://1.2.3.4.5/", "http://a..b/",
    ].map { Array($0.utf8) }

    static let dictionary = [
        "http://", "https://", "[::ffff:127.0.0.1]", "0x7f", "127.0.0.1", "..", "/./", "%2e", "%2F", "%00", "@", "#",
        "?", ":80",
        "data:", ";base64,", "\\",
    ]

    static func run(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        if let url = try? OriginURL(text) { check(url) }
        if let base = try? OriginURL("http://example.com/a/b?c"), let url = try? base.resolving(text) {
            expect(url.requestTarget.hasPrefix("/"), url.text)
            expect((1...65_535).contains(url.port), url.text)
        }
        _ = try? DataURL(text)
        if let path = try? RequestPath.parse(bytes) {
            _ = try? path.filePath()
            expect(path.segments.allSatisfy { $0 != "." && $0 != ".." }, "\(path)")
        }
        if let decoded = try? PercentCoding.decode(bytes[...]) {
            expectEqual(
                try? PercentCoding.decode(Array(PercentCoding.encodedValue(decoded).utf8)[...]),
                decoded,
                "value"
            )
        }
    }

    /// The text of a URL, which is requested, is its normal form, which is in keys, and means the same host, port and target.
    private static func check(_ url: OriginURL) {
        guard let again = try? OriginURL(url.text) else { fatalError("\(url.text) cannot be parsed") }
        expectEqual(again, url, "text")
        expectEqual(url.text, url.normalized, "normal form")
    }
}
