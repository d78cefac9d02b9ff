import Dialects
import ImagePlan
import Testing

/// Which image a request of another server names.
@Suite(.timeLimit(.minutes(1)))
struct SourceAddressTests {
    @Test(
        "weserv: an address with its scheme, without, or behind ssl:",
        arguments: [
            ("example.org/cat.jpg", "http://example.org/cat.jpg"),
            ("http://example.org/cat.jpg", "http://example.org/cat.jpg"),
            ("HTTPS://example.org/cat.jpg", "https://example.org/cat.jpg"),
            ("ssl:example.org/cat.jpg", "https://example.org/cat.jpg"),
            ("//example.org/cat.jpg", "https://example.org/cat.jpg"),
            ("https%3A%2F%2Fexample.org%2Fcat.jpg%3Fa%3D1%26b%3D2", "https://example.org/cat.jpg?a=1&b=2"),
            ("example.org/cat.jpg%23part", "http://example.org/cat.jpg"),
            ("example.org/a%20b.jpg", "http://example.org/a b.jpg"),
            ("example.org:8080/cat.jpg", "http://example.org:8080/cat.jpg"),
        ]
    )
    func weserv(value: String, url: String) throws {
        #expect(try TranslationTable.translate(.weserv, "/?w=10&url=\(value)").image == .url(url))
    }

    @Test(
        "Cloudflare: an address as it is, with its query, or a path",
        arguments: [
            ("https://example.org/cat.jpg", Translation.Image.url("https://example.org/cat.jpg")),
            ("https://example.org/a%20b.jpg?v=1&w=2", .url("https://example.org/a%20b.jpg?v=1&w=2")),
            ("https%3A%2F%2Fexample.org%2Fcat.jpg", .url("https://example.org/cat.jpg")),
            ("uploads/avatar1.jpg", .path("uploads/avatar1.jpg")), ("a%20b.jpg", .path("a%20b.jpg")),
        ]
    )
    func cloudflare(rest: String, image: Translation.Image) throws {
        #expect(try TranslationTable.translate(.cloudflare, "/cdn-cgi/image/w=10/\(rest)").image == image)
    }

    @Test(
        "thumbor: an address with its scheme or a host, otherwise a path",
        arguments: [
            ("http://example.org/cat.jpg", Translation.Image.url("http://example.org/cat.jpg")),
            ("https://example.org/cat.jpg", .url("https://example.org/cat.jpg")),
            ("https%3A%2F%2Fexample.org%2Fcat.jpg%3Fv%3D1", .url("https://example.org/cat.jpg?v=1")),
            ("https%253A%252F%252Fexample.org%252Fcat.jpg", .url("https://example.org/cat.jpg")),
            ("example.org/cat.jpg", .url("http://example.org/cat.jpg")),
            ("example.org:8080/a%20b.jpg", .url("http://example.org:8080/a b.jpg")),
            ("cat.jpg", .path("cat.jpg")), ("photos/a%20b.jpg", .path("photos/a%20b.jpg")),
            ("v1.2/cat.jpg", .path("v1.2/cat.jpg")), ("/photos/cat.jpg", .path("photos/cat.jpg")),
            ("smart", .path("smart")), ("10x10", .path("10x10")),
        ]
    )
    func thumbor(rest: String, image: Translation.Image) throws {
        #expect(try TranslationTable.translate(.thumbor, "/unsafe/10x10/\(rest)").image == image)
    }

    @Test(
        "imagor: as thumbor with https, also in base64url",
        arguments: [
            ("example.org/cat.jpg", Translation.Image.url("https://example.org/cat.jpg")),
            ("b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9pbWFnZS5qcGc=/", .url("https://example.com/image.jpg")),
            (
                "b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9pbWFnZS5qcGc_c2l6ZT1sYXJnZSZkb3dubG9hZD0x",
                .url("https://example.com/image.jpg?size=large&download=1")
            ),
            ("b64:cGhvdG9zL2NhdC5qcGc", .path("photos/cat.jpg")),
            ("photos/a+b.jpg", .path("photos/a%20b.jpg")),
        ]
    )
    func imagor(rest: String, image: Translation.Image) throws {
        #expect(try TranslationTable.translate(.imagor, "/unsafe/10x10/\(rest)").image == image)
    }
}
