import Testing

@testable import ProxyServer

/// What operators' pages show of targets and URLs.
@Suite(.timeLimit(.minutes(1)))
struct ShownTargetTests {
    @Test(arguments: [
        ("/photos/a.png", "/photos/a.png"), ("/photos/a.png?w=20&fit=cover", "/photos/a.png?w=20&fit=cover"),
        ("/photos/w=20,sig=abc/a.png", "/photos/w=20,sig=[redacted]/a.png"),
        ("/photos/a.png?w=20&sig=abc", "/photos/a.png?w=20&sig=…"), ("/p/a?%73ig=abc", "/p/a?sig=…"),
        ("/photos/a.png?key=secret&w=2", "/photos/a.png?key=…&w=2"), ("/p/a?token", "/p/a?…"),
        ("/p/%C3%A9%20b.png?text=%26%3D", "/p/é b.png?text=…"), ("/p/a%0Ab", "/p/a\\u000ab"),
        (
            "/fetch?url=https%3A%2F%2Fu%3Ap%40img.example.com%2Fa.png%3Fkey%3D1&w=3",
            "/fetch?url=img.example.com/a.png&w=3"
        ),
        ("/fetch?url=http%3A%2F%2F10.0.0.7%3A81%2Fa.png", "/fetch?url=…/a.png"),
        ("/fetch?url=http%3A%2F%2F%5Bfd00%3A%3A1%5D%2Fa.png", "/fetch?url=…/a.png"),
        ("/fetch?url=http%3A%2F%2Fintranet%2Fa.png", "/fetch?url=…/a.png"),
        ("/fetch?url=http%3A%2F%2Fdb.internal%2Fa.png", "/fetch?url=…/a.png"),
        ("/fetch?url64=aHR0cA&w=3", "/fetch?url64=…&w=3"), ("/fetch?enc=abc", "/fetch?enc=…"),
        ("http://10.0.0.7/photos/a.png?w=3", "…?w=3"), ("*", "*"), ("", "…"),
    ])
    func `shows parameters of the language, and hides the rest`(target: String, shown: String) {
        #expect(ShownTarget.text(Array(target.utf8)) == shown)
    }

    @Test func `a picture has no parameters`() {
        #expect(ShownTarget.picture(Array("/photos/a.png?w=20".utf8)) == "/photos/a.png")
        #expect(ShownTarget.picture(Array("/photos/a.png".utf8)) == "/photos/a.png")
        let remote = "/fetch?w=3&url=https%3A%2F%2Fimg.example.com%2Fa.png"
        #expect(ShownTarget.picture(Array(remote.utf8)) == "/fetch img.example.com/a.png")
    }

    @Test(arguments: [
        ("photos", "http://127.0.0.1:9/originals/a.png?key=1", "/photos/originals/a.png"),
        ("shop/photos", "https://u:p@img.example.com/a.png", "/shop/photos/a.png"),
        ("fetch", "https://u:p@img.example.com/a.png?key=1", "fetch img.example.com/a.png"),
        ("shop/fetch", "http://192.168.0.1/a.png", "shop/fetch …/a.png"),
        ("local", "a/b#c?.jpg", "/local/a/b#c?.jpg"), ("shop/local", "landscape.jpg", "/shop/local/landscape.jpg"),
        ("local", "a\u{202E}gnp.jpg", "/local/a\\u202egnp.jpg"),
    ])
    func `an original is its source and path`(source: String, url: String, shown: String) {
        #expect(ShownTarget.original(source: source, url: url) == shown)
    }

    @Test func `texts lose the hosts of internal URLs and credentials`() {
        let text = "origin http://10.0.0.1:80/a.png, mirror \"https://u:p@img.example.com/b\" (s3://bucket/x) end"
        #expect(
            ShownTarget.withoutInternalHosts(text)
                == "origin http://…/a.png, mirror \"https://img.example.com/b\" (s3://…/x) end"
        )
        #expect(ShownTarget.withoutInternalHosts("no URL") == "no URL")
    }

    @Test func `long targets are cut`() {
        #expect(ShownTarget.text(Array(("/" + String(repeating: "é", count: 900)).utf8)).count == 200)
    }
}
