import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OriginURLTests {
    @Test(arguments: [
        ("http://Example.COM", "http://example.com/", "http://example.com/"),
        ("HTTPS://example.com:443/a", "https://example.com/a", "https://example.com/a"),
        ("http://example.com:/a", "http://example.com/a", "http://example.com/a"),
        ("http://example.com:8080/a", "http://example.com:8080/a", "http://example.com:8080/a"),
        ("https://example.com:80/", "https://example.com:80/", "https://example.com:80/"),
        ("http://example.com?x=1#frag", "http://example.com/?x=1", "http://example.com/?x=1"),
        ("http://example.com/a%7eb%2fC%3a", "http://example.com/a%7eb%2fC%3a", "http://example.com/a~b%2FC%3A"),
        ("http://example.com/?q=%41%20", "http://example.com/?q=%41%20", "http://example.com/?q=A%20"),
        ("http://example.com/a/./b/../c", "http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/%2e%2E/c", "http://example.com/a/%2e%2E/c", "http://example.com/c"),
        ("http://example.com/../../a/..", "http://example.com/../../a/..", "http://example.com/"),
        ("http://example.com//a//b/", "http://example.com//a//b/", "http://example.com//a//b/"),
        ("http://example.com/?a=/../b", "http://example.com/?a=/../b", "http://example.com/?a=/../b"),
        ("http://example.com/a b/é", "http://example.com/a%20b/%C3%A9", "http://example.com/a%20b/%C3%A9"),
        ("http://example.com/?a[]=1&b=|", "http://example.com/?a[]=1&b=%7C", "http://example.com/?a[]=1&b=%7C"),
        ("http://[::1]:8080/", "http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://[2001:DB8::1]/", "http://[2001:db8::1]/", "http://[2001:db8::1]/"),
        ("http://127.0.0.1/", "http://127.0.0.1/", "http://127.0.0.1/"),
    ])
    func `has one spelling for the key and keeps the given one for the origin`(
        text: String,
        given: String,
        normalized: String
    ) throws {
        let url = try OriginURL(text)
        #expect(url.text == given)
        #expect(url.normalized == normalized)
        #expect(try OriginURL(normalized).normalized == normalized)
    }

    @Test(arguments: [
        "", "example.com/a", "//example.com/a", "ftp://example.com/", "file:///etc/passwd", "http:/example.com",
        "http://",
        "http:///a", "http://user@example.com/", "http://user:pw@example.com/", "http://a@b@c/",
        "http://example.com:0/",
        "http://example.com:65536/", "http://example.com:8a/", "http://example.com:80:80/", "http://exa mple.com/",
        "http://ex%61mple.com/", "http://exämple.com/", "http://.example.com/", "http://a..b/",
        "http://example.com\\@evil/",
        "http://example.com/a%", "http://example.com/a%2", "http://example.com/%zz", "http://example.com/\n",
        "http://[::1/",
        "http://[::1]x/", "http://[fe80::1%25eth0]/", "http://[]/", "http://[1234]/", "http://?x",
        "javascript:alert(1)", "http://example.com#@evil", "http://example.com/a?b#c@d",
    ])
    func `refuses what two readers could read differently`(text: String) {
        let error = #expect(throws: RequestError.self) { try OriginURL(text) }
        #expect(error?.parameter == "url")
    }

    @Test func `tells scheme, host and port`() throws {
        let url = try OriginURL("HTTPS://CDN.Example.com/a")
        #expect(url.scheme == .https)
        #expect(url.host == "cdn.example.com")
        #expect(url.port == 443)
        #expect(url.requestTarget == "/a")
    }
}
