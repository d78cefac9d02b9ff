import TestSupport
import Testing

/// Pictures of pages through the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct PageRequestTests {
    private static let picture = TestImages.gradient(width: 40, height: 30)
    private static let remote = "remote: { allow: [\"127.0.0.1\"], allow-private: true, pages: [\"127.0.0.1\"] }"

    private func rig(
        _ extra: String = remote,
        pages: @escaping @Sendable (ScriptedRequest) -> String? = { _ in nil }
    ) throws -> EndToEndRig {
        try EndToEndRig(extra) { request, connection in
            if let page = pages(request) {
                connection.respond(
                    "200 OK",
                    ["Content-Type: text/html", "Cache-Control: private, no-store"],
                    text: page
                )
            } else if request.target == "/moved" {
                connection.respond("302 Found", ["Location: /deep/er/page"])
            } else if request.target.hasSuffix(".png") {
                connection.respond("200 OK", ["Cache-Control: max-age=9999999", "ETag: \"p\""], body: Self.picture)
            } else {
                connection.respond("404 Not Found", text: "no")
            }
        }
    }

    private func target(_ rig: EndToEndRig, _ path: String, _ query: String = "w=20&format=png") -> String {
        "/fetch?url=\(rig.origin.url)/\(path)&\(query)"
    }

    @Test func `the picture that a page names is transformed, and cached for the page`() throws {
        let rig = try rig { request in
            request.target == "/page" ? "<html><head><meta property='og:image' content='/a.png'></head>" : nil
        }
        let answer = try rig.get(target(rig, "page"))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(PictureHeader.size(ofPNG: answer.body) == [20, 15])
        // The page forbids caching, which is kept short, but not none; the picture alone would be fresh for months.
        #expect(answer["Cache-Control"] == "max-age=60")
        #expect(
            try rig.get(target(rig, "page", "w=10&format=png"))["Cache-Status"] == "edgeprint; hit; detail=original"
        )
        #expect(rig.origin.requests == 2)
        #expect(rig.origin.heads[0].contains("Accept: text/html,") && rig.origin.heads[1].contains("Accept: image/*,"))
    }

    @Test func `references are resolved against the page's own URL after redirects`() throws {
        let rig = try rig { request in
            request.target == "/deep/er/page" ? "<meta name=twitter:image content='../a.png'>" : nil
        }
        #expect(try rig.get(target(rig, "moved")).status == 200)
        #expect(rig.origin.heads.last?.hasPrefix("GET /deep/a.png ") == true)
    }

    @Test func `an image of such a host is served itself`() throws {
        let rig = try rig()
        let answer = try rig.get("/fetch?url=\(rig.origin.url)/direct.png")
        #expect(answer.status == 200 && answer.body == Self.picture)
        #expect(rig.origin.requests == 1)
    }

    @Test func `a page that names a page, or itself, ends there`() throws {
        let rig = try rig { request in
            request.target.hasPrefix("/loop") ? "<meta property=og:image content='\(request.target)x'>" : nil
        }
        let answer = try rig.get(target(rig, "loop"))
        #expect(answer.status == 415, "\(answer.text)")
        #expect(rig.origin.requests == 2)
    }

    @Test func `a page without a picture, and one over the limit, are refused and say so`() throws {
        let rig = try rig(Self.remote.replacing("pages:", with: "page-bytes: 10kB, pages:")) { request in
            switch request.target {
            case "/none": "<html><p>Nothing.</p>"
            case "/long": "<html>" + String(repeating: " ", count: 50_000) + "<meta property=og:image content=a.png>"
            default: nil
            }
        }
        let none = try rig.get(target(rig, "none"))
        #expect(none.status == 415 && none.text.contains("og:image"), "\(none.text)")
        let long = try rig.get(target(rig, "long"))
        #expect(long.status == 415 && long.text.contains("remote.page-bytes"), "\(long.text)")
        #expect(try rig.get(target(rig, "missing")).status == 404)
        #expect(rig.origin.requests == 3)
    }

    @Test func `the picture's address is judged like any other`() throws {
        let rig = try rig { request in
            request.target == "/page" ? "<meta property=og:image content='http://127.0.0.1:25/a.png'>" : nil
        }
        let answer = try rig.get(target(rig, "page"))
        #expect(answer.status == 403, "\(answer.text)")
    }

    @Test func `pages of other hosts are no images`() throws {
        let rig = try rig("remote: { allow: [\"127.0.0.1\"], allow-private: true, pages: [\"*.example.com\"] }") {
            request in
            request.target == "/page" ? "<meta property=og:image content='/a.png'>" : nil
        }
        #expect(try rig.get(target(rig, "page")).status == 415)
        #expect(rig.origin.requests == 1)
    }
}
