import EdgeprintURL
import Testing

/// Addresses of servers and images, beyond the vectors.
@Suite(.timeLimit(.minutes(1)))
struct ServerTests {
    @Test(arguments: [
        "ftp://example.com", "img.example.com", "https://example.com/?a=b", "https://exa mple.com",
        "https://example.com#a",
    ])
    func `an address that is no server's is refused`(base: String) {
        let error = #expect(throws: ImageURLError.self) { try ImageServer(base) }
        #expect(error?.parameter == "base")
    }

    @Test func `the prefix of a site is signed`() throws {
        let key = try Vectors.key()
        let site = try ImageServer("https://example.com", prefix: "/blog", authenticator: key)
        let url = try site.url(for: .path("photos/cat.jpg"), ImageTransform().resize(width: 400))
        let whole = try ImageServer("https://example.com", authenticator: key)
        #expect(url.hasPrefix("https://example.com/blog/photos/cat.jpg?w=400&sig="))
        // The message is the whole path, as if the prefix were the source.
        #expect(try whole.url(for: .path("blog/photos/cat.jpg"), ImageTransform().resize(width: 400)) == url)
        #expect(throws: ImageURLError.self) { try ImageServer("", prefix: "blog") }
        #expect(throws: ImageURLError.self) { try ImageServer("", prefix: "/blog/") }
    }

    @Test func `an encoded path is not encoded again`() throws {
        let server = try ImageServer("")
        #expect(try server.url(for: .encodedPath("photos/a%20b c.jpg")) == "/photos/a%20b%20c.jpg")
        #expect(try server.url(for: .path("/photos/a%20b c.jpg")) == "/photos/a%2520b%20c.jpg")
        #expect(throws: ImageURLError.self) { try server.url(for: .encodedPath("photos/%2e%2e/cat.jpg")) }
        #expect(throws: ImageURLError.self) { try server.url(for: .encodedPath("photos/100%.jpg")) }
    }

    @Test(arguments: ["Photos/cat.jpg", "", "fetch/cat.jpg", "-a/cat.jpg"])
    func `a path without the name of a source is refused`(path: String) throws {
        let error = #expect(throws: ImageURLError.self) { try ImageServer("").url(for: .path(path)) }
        #expect(error?.parameter == "path")
    }

    @Test(arguments: [
        "", "ftp://x", "img.example.com/a.png", "/a.png", "https:", "https://", "https:///a.png", "https://:80/a",
        "https://example.com/a\nb", "https://example.com\\a", "file:///etc/passwd",
    ])
    func `a remote image without a URL that a server can request is refused`(url: String) throws {
        for isBase64 in [false, true] {
            let error = #expect(throws: ImageURLError.self) {
                try ImageServer("").url(for: .remote(url, isBase64: isBase64))
            }
            #expect(error?.parameter == (isBase64 ? "url64" : "url"))
        }
    }

    @Test(arguments: ["HTTPS://example.com", "http://[::1]:81/a b?c#d", "data:image/png;base64,AAAA"])
    func `other remote images are not`(url: String) throws {
        #expect(try ImageServer("").url(for: .remote(url)).hasPrefix("/fetch?url="))
    }

    @Test func `an encrypted URL is sent as base64url`() throws {
        let url = try ImageServer("").url(for: .encrypted([0xFB, 0xFF, 0xFE, 1]), ImageTransform().resize(width: 9))
        #expect(url == "/fetch?enc=-__-AQ&w=9")
    }

    @Test func `what requires a signature is refused without a key`() throws {
        let server = try ImageServer("")
        for (name, transform) in [
            ("refresh", ImageTransform().refresh()), ("retry", ImageTransform().retry()),
            ("wait-store", ImageTransform().waitForStorage()), ("timing", ImageTransform().timing()),
        ] {
            let error = #expect(throws: ImageURLError.self) { try server.url(for: .path("a/b"), transform) }
            #expect(error?.parameter == name)
            #expect(throws: Never.self) {
                try ImageServer("", authenticator: Vectors.key()).url(for: .path("a/b"), transform)
            }
        }
        let error = #expect(throws: ImageURLError.self) {
            try server.scopedURL(for: .path("a/b"), scope: URLScope().allow("w", [.any]))
        }
        #expect(error?.parameter == "scope")
    }

    @Test func `a scope must be one, and name what a request has`() throws {
        let server = try ImageServer("", authenticator: Vectors.key())
        for scope in [URLScope(), URLScope().allow("w", []), URLScope().allow("w", [.any]).allow("w", [.any])] {
            #expect(throws: ImageURLError.self) { try server.scopedURL(for: .path("a/b"), scope: scope) }
        }
        let widths = URLScope().allow("w", [.range(1...9)])
        #expect(throws: ImageURLError.self) {
            try server.scopedURL(for: .remote("https://example.com/a"), scope: widths)
        }
        #expect(throws: ImageURLError.self) {
            try server.url(for: .path("a/b"), ImageTransform().resize(width: 10), scope: widths)
        }
        #expect(throws: ImageURLError.self) { try ScopedImageURL("https://example.com/a/b?w=5") }
    }

    @Test func `an expiry out of range is refused`() throws {
        let server = try ImageServer("", authenticator: Vectors.key())
        for second in [-1, 1_000_000_000_000] as [Int64] {
            let error = #expect(throws: ImageURLError.self) { try server.url(for: .path("a/b"), expires: second) }
            #expect(error?.parameter == "exp")
        }
    }

    @Test func `HMAC-SHA256 of the tests is that of RFC 4231`() {
        let code = HMACKey(Array(repeating: 0x0b, count: 20)).authenticationCode(for: Array("Hi There".utf8))
        let text = code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(text == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    }
}
