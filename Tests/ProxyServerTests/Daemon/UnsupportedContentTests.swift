import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Content that is no image, by the setting `unsupported` of a source, through the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct UnsupportedContentTests {
    private static let page = Array("<!doctype html><script>alert(1)</script>".utf8)
    private static let picture = TestImages.gradient(width: 64, height: 48)
    private static let film = TestImages.gif(
        width: 4,
        height: 4,
        palette: [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)],
        frames: [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16)],
        delays: [5, 5],
        loop: 0
    )
    private static let pass = ", unsupported: pass, formats: { gif: off }"

    private func rig(source: String = pass) throws -> EndToEndRig {
        try EndToEndRig(source: source) { request, connection in
            let fields = ["Cache-Control: max-age=600"]
            switch request.target {
            case "/a.html":
                connection.respond("200 OK", fields + ["Content-Type: text/html; charset=utf-8"], body: Self.page)
            case "/a.bin": connection.respond("200 OK", fields + ["Content-Type: no type"], body: Self.page)
            case "/a.gif": connection.respond("200 OK", fields, body: Self.film)
            case "/a.png": connection.respond("200 OK", fields, body: Self.picture)
            default: connection.respond("200 OK", fields, body: Array(Self.picture.dropLast(Self.picture.count - 20)))
            }
        }
    }

    @Test func `pass serves it unchanged and sandboxed, from every tier`() throws {
        let rig = try rig()
        for status in ["fwd=uri-miss", "hit; detail=memory"] {
            let answer = try rig.get("/photos/a.html?w=20")
            #expect(answer.status == 200 && answer.body == Self.page)
            #expect(answer["Content-Type"] == "text/html; charset=utf-8")
            #expect(answer["X-Untransformed"] == "unsupported" && answer["ETag"] != nil)
            #expect(answer["Content-Security-Policy"] == "default-src 'none'; sandbox")
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Cache-Status"] == "edgeprint; \(status)")
        }
        let bare = try rig.get("/photos/a.html")
        #expect(bare.body == Self.page && bare["X-Untransformed"] == nil)
        #expect(bare["Content-Security-Policy"] == "default-src 'none'; sandbox")
        try rig.waitForStores(1)
        try rig.restartAfterKill(source: Self.pass)
        let stored = try rig.get("/photos/a.html?w=20")
        #expect(stored.body == Self.page && stored["Content-Type"] == "text/html; charset=utf-8")
        #expect(rig.origin.requests == 1)
    }

    @Test func `a malformed type is replaced, and a format that is off is passed on`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.bin?w=20")["Content-Type"] == "application/octet-stream")
        let film = try rig.get("/photos/a.gif?w=20")
        #expect(film.body == Self.film && film["Content-Type"] == "image/gif")
        #expect(film["X-Untransformed"] == "unsupported" && film["Content-Security-Policy"] == nil)
    }

    @Test func `images are transformed as usual, and descriptions and broken images fail`() throws {
        let rig = try rig()
        let small = try rig.get("/photos/a.png?w=20&format=png")
        #expect(PictureHeader.size(ofPNG: small.body) == [20, 15] && small["X-Untransformed"] == nil)
        #expect(try rig.get("/photos/a.html?format=json").status == 415)
        #expect(try rig.get("/photos/a.gif?format=json").status == 415)
        #expect(try rig.get("/photos/broken?w=20").status == 422)
    }

    @Test func `refuse is the default, and takes effect again on a reload`() throws {
        #expect(try rig(source: "").get("/photos/a.html").status == 415)
        let rig = try rig()
        #expect(try rig.get("/photos/a.html").status == 200)
        #expect(try rig.get("/photos/a.html?w=20").status == 200)
        try rig.rewrite()
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.get("/photos/a.html?w=20").status == 415)
        #expect(try rig.get("/photos/a.html").status == 415)
    }

    @Test func `pass is refused unless unchanged originals are served`() throws {
        for policy in ["refuse", "clean"] {
            let found = problems(
                "sources: { a: { url: \"https://a.example/\", originals: \(policy), unsupported: pass } }"
            )
            #expect(found.contains { $0.contains("unsupported") }, "\(found)")
        }
    }
}
