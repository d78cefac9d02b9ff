import ImagePlan
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// Errors as people and programs receive them.
@Suite(.timeLimit(.minutes(1)))
struct ErrorPageTests {
    /// The `Accept` of Chrome for a page.
    private static let browser = (
        "Accept",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
    )
    private static let vary = "Accept, Sec-Fetch-Dest"

    private let rig: EndToEndRig

    init() throws {
        rig = try EndToEndRig(
            "presets: { thumb: \"w=4\" }",
            source: ", forward-query: [version]",
            script: ScriptedOrigin.pictures(["a.png": TestImages.gradient(width: 64, height: 48)])
        )
    }

    private func page(_ target: String, _ fields: [(String, String)] = [ErrorPageTests.browser]) throws
        -> RawHTTPResponse
    {
        try rig.get(target, fields)
    }

    @Test(arguments: [
        ("/photos/a.png?widht=3", 400, "<mark>widht=3</mark>", "/photos/a.png?w=3"),
        ("/photos/a.png?w=3&quality=80&h=2", 400, "<mark>quality=80</mark>", "/photos/a.png?w=3&amp;q=80&amp;h=2"),
        ("/photos/a.png?w=99999", 400, "<mark>w=99999</mark>", "/photos/a.png?w=16384"),
        ("/photos/a.png?w=3&h=3&fit=covers", 400, "<mark>fit=covers</mark>", "/photos/a.png?w=3&amp;h=3&amp;fit=cover"),
        (
            "/photos/a.png?w=0&blur=999&preset=thum", 400, "<mark>preset=thum</mark>",
            "w=1&amp;blur=250&amp;preset=thumb"
        ),
        ("/phots/a.png?w=3", 404, "/<mark>phots</mark>/a.png?w=3", "/photos/a.png?w=3"),
        ("/phots/a.png?widht=3", 404, "/<mark>phots</mark>/a.png?widht=3", "/photos/a.png?w=3"),
        ("/photos/a.png?verison=2&w=5", 400, "<mark>verison=2</mark>", "/photos/a.png?version=2&amp;w=5"),
    ])
    func `a browser gets a page that marks what is wrong, and links to the nearest right URL`(
        target: String,
        status: Int,
        marked: String,
        link: String
    ) throws {
        let answer = try page(target)
        #expect(answer.status == status)
        #expect(answer["Content-Type"] == "text/html; charset=utf-8" && answer["Cache-Control"] == "no-store")
        #expect(answer["Vary"] == Self.vary)
        #expect(answer.text.contains(marked), "\(answer.text)")
        let start = try #require(answer.text.firstRange(of: "<a href=\"")?.upperBound)
        let href = String(answer.text[start...].prefix { $0 != "\"" })
        #expect(href.hasSuffix(link), "\(href)")
        let works = try rig.get(href.split(separator: "&amp;").joined(separator: "&"))
        #expect(works.status == 200, "\(works.text)")
    }

    @Test func `says what is wrong in the words of the problem document`() throws {
        let program = try rig.get("/photos/a.png?w=99999")
        #expect(program["Content-Type"] == "application/problem+json" && program["Vary"] == Self.vary)
        #expect(program.text.contains("w: must be a whole number from 1 to 16384"))
        let person = try page("/photos/a.png?w=99999")
        #expect(person.text.contains("<h1>w: must be a whole number from 1 to 16384</h1>"))
        #expect(person.text.contains("<title>400 Bad Request</title>"))
        for name in ["Access-Control-Allow-Origin", "X-Content-Type-Options", "Cross-Origin-Resource-Policy"] {
            #expect(person[name] == program[name] && person[name] != nil, "\(name)")
        }
    }

    @Test func `runs no script, and allows only its own style`() throws {
        let answer = try page("/photos/a.png?widht=3")
        let policy = try #require(answer["Content-Security-Policy"])
        let text = answer.text
        let start = try #require(text.firstRange(of: "<style>")?.upperBound)
        let end = try #require(text.firstRange(of: "</style>")?.lowerBound)
        let digest = Base64.encode(SHA256Digest(hashing: String(text[start..<end])).bytes)
        #expect(
            policy == "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        )
        for forbidden in ["<script", " style=", "src=", "<link", "@import", "url("] {
            #expect(!text.contains(forbidden), "\(forbidden)")
        }
    }

    @Test(arguments: [
        "/photos/a.png?%E2%80%AEgnp=1", "/photos/a.png?\u{202E}gnp=1", "/photos/a.png?preset=%E2%80%AEgnp",
        "/\u{202E}gnp/a?widht=3", "/photos/\u{202E}gnp.png?widht=3",
    ])
    func `no character of a URL changes the writing direction`(target: String) throws {
        let answer = try page(target)
        #expect(answer.status == 400 || answer.status == 404, "\(answer.status)")
        #expect(answer["Content-Type"] == "text/html; charset=utf-8")
        let shown = answer.text.replacing(#/href="[^"]*"/#, with: "")
        #expect(shown.contains("\\u202egnp") && !shown.unicodeScalars.contains("\u{202E}"), "\(shown)")
    }

    @Test(arguments: [
        "/photos/a.png?%3Cscript%3Ealert(1)%3C/script%3E=1", "/photos/a.png?<script>alert(1)</script>=1",
        "/photos/a.png?w=\"onmouseover=\"alert(1)", "/photos/a.png?w='><img/src=x>", "/<svg/onload=alert(1)>?w=1",
        "/photos/%3Cb%3E.png?widht=\"><script>1</script>", "//evil.example/?widht=3", "/\\evil.example/a?widht=3",
        "/photos/a.png?format=%3Cb%3E", "/photos/a.png?preset=%22%3E%3Cb%3E", "/phots//evil.example/?w=<b>",
        "/photos/a.png?widht=3&w%3d<b>", "/photos/a.png?w=javascript:alert(1)",
    ])
    func `nothing of a URL becomes markup, or a link to another site`(target: String) throws {
        let answer = try page(target)
        #expect(answer.status == 400 || answer.status == 404, "\(answer.status)")
        guard answer["Content-Type"] == "text/html; charset=utf-8" else {
            // Refused before a site is known.
            #expect(answer["Content-Type"] == "application/problem+json")
            return
        }
        let body = try #require(answer.text.firstRange(of: "<body>"))
        let text = String(answer.text[body.upperBound...])
        for tag in text.split(separator: "<").dropFirst() {
            let name = tag.prefix { $0 != ">" && $0 != " " }
            let known = ["main", "/main", "p", "/p", "h1", "/h1", "code", "/code", "mark", "/mark", "a", "/a"]
            #expect((known + ["/body", "/html"]).contains(String(name)), "\(name)")
        }
        for link in text.components(after: "href=\"") {
            #expect(link.hasPrefix("/") && !link.hasPrefix("//") && !link.hasPrefix("/\\"), "\(link.prefix(40))")
        }
    }

    @Test func `programs and images get problem documents`() throws {
        let target = "/photos/a.png?widht=3"
        let navigation = Self.browser
        for fields in [
            [], [("Accept", "*/*")], [("Accept", "application/json, text/html")], [("Accept", "text/html;q=0.5,*/*")],
            [("Accept", "image/avif,image/webp,*/*;q=0.8,text/html")], [navigation, ("Sec-Fetch-Dest", "image")],
            [navigation, ("Sec-Fetch-Dest", "empty")], [("Accept", "text/html, application/problem+json")],
        ] {
            let answer = try rig.get(target, fields)
            #expect(answer["Content-Type"] == "application/problem+json", "\(fields)")
            #expect(answer["Vary"] == Self.vary)
        }
        for fields in [
            [navigation], [navigation, ("Sec-Fetch-Dest", "document")], [navigation, ("Sec-Fetch-Dest", "iframe")],
            [("Accept", "text/html"), ("Accept", "*/*;q=0.1")],
        ] {
            #expect(try rig.get(target, fields)["Content-Type"] == "text/html; charset=utf-8", "\(fields)")
        }
    }

    @Test func `failures of the origin are pages, too, and cached ones vary`() throws {
        for _ in 0..<2 {
            let answer = try page("/photos/none.png?w=20")
            #expect(answer.status == 404 && answer["Content-Type"] == "text/html; charset=utf-8")
            #expect(answer["Vary"] == "Accept, Save-Data, Sec-Fetch-Dest")
            // A cache that ignores Vary must not send it to programs, nor one client's query to another.
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer.text.contains("The origin has no such image") && !answer.text.contains("<a "))
        }
        let program = try rig.get("/photos/none.png?w=20")
        #expect(program["Cache-Control"]?.hasPrefix("public, max-age=") == true)
        #expect(program["Content-Type"] == "application/problem+json")
        #expect(program["Vary"] == "Accept, Save-Data, Sec-Fetch-Dest")
        #expect(try page("/photos/a.png?w=20")["Content-Type"]?.hasPrefix("image/") == true)
        #expect(rig.origin.requests == 2)
    }

    @Test func `a URL that has expired is not offered`() throws {
        let answer = try page("/photos/a.png?widht=3&exp=1")
        #expect(answer.status == 400 && !answer.text.contains("<a "), "\(answer.text)")
        #expect(try page("/photos/a.png?widht=3&exp=99999999999").text.contains("<a "))
    }

    @Test func `HEAD has the fields of GET`() throws {
        let client = try RawHTTPClient(port: rig.daemon.port)
        let accept = "Accept: \(Self.browser.1)\r\n"
        try client.send("HEAD /photos/a.png?widht=3 HTTP/1.1\r\nHost: a\r\n\(accept)\r\n")
        let head = try client.readResponse(toHEAD: true)
        let get = try client.get("/photos/a.png?widht=3", [Self.browser])
        #expect(head["Content-Type"] == "text/html; charset=utf-8" && head["Content-Length"] == get["Content-Length"])
    }

    @Test func `a signature is not shown, and a signed URL is no link`() throws {
        let rig = try EndToEndRig(
            "signing: { keys: [\"\(String(repeating: "ab", count: 32))\"] }",
            script: ScriptedOrigin.pictures([:])
        )
        let answer = try rig.get("/photos/a.png?widht=3&sig=SECRETSECRET", [Self.browser])
        #expect(answer.status == 400 && !answer.text.contains("SECRETSECRET"), "\(answer.text)")
        #expect(answer.text.contains("sig=…") && answer.text.contains("<code>/photos/a.png?w=3</code>"))
        #expect(!answer.text.contains("<a ") && answer.text.contains("has to be signed again"))
    }

    @Test func `a site below a prefix keeps it in links`() throws {
        let rig = try EndToEndRig(
            "sites: { shop: { prefix: /shop, sources: { goods: { url: \"http://127.0.0.1:1/\", allow-private: true } } } }",
            script: ScriptedOrigin.pictures([:])
        )
        let answer = try rig.get("/shop/good/a.png?widht=3", [Self.browser])
        #expect(answer.status == 404 && answer.text.contains("href=\"/shop/goods/a.png?w=3\""), "\(answer.text)")
    }
}

extension String {
    /// The texts after each occurrence of a marker.
    fileprivate func components(after marker: String) -> [Substring] {
        ranges(of: marker).map { self[$0.upperBound...] }
    }
}
