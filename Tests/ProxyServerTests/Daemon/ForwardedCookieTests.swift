import TestSupport
import Testing

@testable import ProxyServer

/// `forward-cookies` of a source (SDWebImage: HandleCookies).
@Suite(.timeLimit(.minutes(1)))
struct ForwardedCookieTests {
    private let fields = ["Cache-Control: public, max-age=3600, s-maxage=7200", "Set-Cookie: own=1"]

    /// The picture's width tells the forwarded cookie: 8 for none.
    private func rig(_ source: String = ", forward-cookies: [session, lang]") throws -> EndToEndRig {
        try EndToEndRig(source: source) { [fields] request, connection in
            let width = ["session=a; lang=en": 16, "session=a": 24, "session=b": 32][request.field("Cookie") ?? ""]
            connection.respond("200 OK", fields, body: TestImages.gradient(width: width ?? 8, height: 8))
        }
    }

    private func width(_ answer: RawHTTPResponse) -> Int? { PictureHeader.size(ofPNG: answer.body)?.first }

    @Test func `the cookies named go to the origin, and each value has a picture of its own`() throws {
        let rig = try rig()
        let cases: [(String?, Int)] = [
            ("lang=en; theme=dark; session=a", 16), ("session=a", 24), ("session=b; theme=dark", 32), ("theme=dark", 8),
            (nil, 8),
        ]
        for path in ["/photos/a.png", "/photos/a.png?format=png"] {
            for (cookie, expected) in cases {
                let answer = try rig.get(path, cookie.map { [("Cookie", $0)] } ?? [])
                #expect(width(answer) == expected, "\(path) \(cookie ?? "-")")
                #expect(answer["Vary"]?.contains("Cookie") == true)
                #expect(answer["Set-Cookie"] == nil)
            }
        }
        let requests = rig.origin.requests
        #expect(requests == 4)
        let again = try rig.get("/photos/a.png?format=png", [("Cookie", "session=a; other=1")])
        #expect(again["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(width(again) == 24 && rig.origin.requests == requests)
        #expect(rig.origin.heads.allSatisfy { !$0.contains("theme") && !$0.contains("other") })
    }

    @Test func `answers to requests with such a cookie are private, also from memory, and 304`() throws {
        let rig = try rig()
        for _ in 0..<2 {
            let own = try rig.get("/photos/a.png?format=png", [("Cookie", "session=a")])
            #expect(own["Cache-Control"] == "private, max-age=3600")
        }
        let tag = try rig.get("/photos/a.png?format=png", [("Cookie", "session=a")])["ETag"] ?? ""
        let validated = try rig.get("/photos/a.png?format=png", [("Cookie", "session=a"), ("If-None-Match", tag)])
        #expect(validated.status == 304 && validated["Cache-Control"] == "private, max-age=3600")
        let common = try rig.get("/photos/a.png?format=png")
        #expect(common["Cache-Control"]?.contains("public") == true)
    }

    @Test func `a purge by URL takes the pictures of all cookies`() throws {
        let rig = try rig()
        for cookie in ["session=a", "session=b"] { _ = try rig.get("/photos/a.png", [("Cookie", cookie)]) }
        #expect(rig.origin.requests == 2)
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        let order = "{\"url\":\"/photos/a.png\"}"
        try admin.send("POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(order.utf8.count)\r\n\r\n\(order)")
        #expect(try admin.readResponse().status == 200)
        for cookie in ["session=a", "session=b"] { _ = try rig.get("/photos/a.png", [("Cookie", cookie)]) }
        #expect(rig.origin.requests == 4)
    }

    @Test func `no cookie goes to the origin unless it is named`() throws {
        let rig = try rig("")
        let answer = try rig.get("/photos/a.png", [("Cookie", "session=a")])
        #expect(width(answer) == 8)
        #expect(answer["Vary"] == nil)
        #expect(answer["Cache-Control"]?.hasPrefix("public") == true)
    }

    @Test(arguments: [
        ("forward-cookies: [\"a b\"]", "a cookie's name"),
        ("forward-cookies: [a], headers: { Cookie: b=c }", "cannot be combined with a Cookie in headers"),
        ("forward-cookies: [a], raw: true", "has no effect with raw: true"),
    ])
    func `says what is wrong with the names`(_ keys: String, _ expected: String) {
        let found = problems("sources: { a: { url: \"https://a.example/\", \(keys) } }")
        #expect(found.count == 1 && found[0].contains(expected), "\(found)")
    }
}
