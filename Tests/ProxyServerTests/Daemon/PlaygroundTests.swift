import Glibc
import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

/// The playground of the admin listener.
@Suite(.timeLimit(.minutes(1)))
struct PlaygroundTests {
    private static let picture = TestImages.gradient(width: 64, height: 48)
    private static let key = String(repeating: "ab", count: 32)

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source, script: ScriptedOrigin.pictures(["a.png": Self.picture]))
    }

    private func send(
        _ rig: EndToEndRig,
        _ bytes: [UInt8],
        method: String = "PUT",
        fields: String = ""
    ) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        let head = "\(method) /playground/pictures HTTP/1.1\r\nHost: localhost\r\n\(fields)"
        try client.send(Array((head + "Content-Length: \(bytes.count)\r\n\r\n").utf8) + bytes)
        return try client.readResponse()
    }

    private func id(_ answer: RawHTTPResponse) throws -> String {
        guard case .string(let id)? = JSONValue(parsing: answer.text)?["id"] else { throw NoID(text: answer.text) }
        return id
    }

    private struct NoID: Error { var text: String }

    private func image(_ rig: EndToEndRig, _ query: String) throws -> RawHTTPResponse {
        try rig.admin("GET", "/playground/image?\(query)")
    }

    @Test(arguments: ["PUT", "POST"])
    func `a picture is transformed as a request for it would be`(method: String) throws {
        let rig = try rig()
        let answer = try send(rig, Self.picture, method: method)
        #expect(answer.status == 201, "\(answer.text)")
        let facts = JSONValue(parsing: answer.text)
        #expect(facts?["width"]?.int == 64 && facts?["height"]?.int == 48 && facts?["seconds"]?.int == 600)
        let id = try id(answer)
        for query in ["w=20&format=png", "rotate=90&format=webp", "crop=10,10,20,20&blur=2&format=png"] {
            let encoded = query.split(separator: "&").joined(separator: "%26")
            let tried = try image(rig, "picture=\(id)&query=\(encoded)")
            let asked = try rig.get("/photos/a.png?\(query)")
            #expect(tried.status == 200 && tried.body == asked.body, "\(query) \(tried.status)")
            #expect(tried["Content-Type"] == asked["Content-Type"])
            #expect(tried["Server-Timing"]?.contains("encode;dur=") == true, "\(tried.head)")
            #expect(tried["Cache-Control"] == "no-store" && tried["Cross-Origin-Resource-Policy"] == "same-origin")
        }
        #expect(try image(rig, "picture=\(id)").body == Self.picture)
        // Each is made anew: nothing is stored.
        #expect(try image(rig, "picture=\(id)&query=w=20%26format=png")["Server-Timing"]?.contains("encode") == true)
    }

    @Test func `a path is tried as requested, without a signature and without storage of the result`() throws {
        let rig = try rig("signing: { keys: [\"\(Self.key)\"], required: true }")
        #expect(try rig.get("/photos/a.png?w=20&format=png").status == 403)
        for _ in 0..<2 {
            let tried = try image(rig, "path=/photos/a.png%3Fw=20%26format=png")
            #expect(tried.status == 200 && PictureHeader.size(ofPNG: tried.body) == [20, 15], "\(tried.text)")
            #expect(tried["Server-Timing"]?.contains("encode") == true)
        }
        #expect(rig.origin.requests == 1)
        let negotiated = try image(rig, "path=/photos/a.png%3Fw=20&accept=image/webp")
        #expect(negotiated["Content-Type"] == "image/webp")
        let held = try rig.admin("GET", "/has?path=/photos/a.png%3Fw=20%26format=png").text
        #expect(held.contains("\"cached\":false"), "\(held)")
    }

    @Test(arguments: [
        ("", 400, "path"), ("path=photos", 400, "path"), ("path=/photos/a.png&query=w=1", 400, "query"),
        ("path=/a&picture=b", 400, "picture"), ("picture=none", 404, "picture"), ("wat=1", 400, "wat"),
        ("path=/photos/a.png%3Fwidht=3", 400, "widht"),
    ])
    func `an invalid request names its parameter`(query: String, status: Int, parameter: String) throws {
        let answer = try image(rig(), query)
        #expect(answer.status == status && answer.text.contains("\"parameter\":\"\(parameter)\""), "\(answer.text)")
    }

    @Test func `a path is refused as a request's would be`() throws {
        let rig = try rig()
        for path in ["/photos/a.png%23b", "/photos/a.png%3Fw=20%23b", "/photos/a%20.png"] {
            let answer = try image(rig, "path=\(path)")
            #expect(answer.status == 400 && answer.text.contains("The request target is malformed."), "\(answer.text)")
        }
        #expect(rig.origin.requests == 0)
    }

    @Test func `formats of one picture are timed by themselves`() throws {
        let large = TestImages.gradient(width: 1600, height: 1000)
        let rig = try EndToEndRig("workers: { count: 1 }", script: ScriptedOrigin.pictures(["a.png": large]))
        // While the only worker makes the first, the others wait, and would become one job.
        let queries = ["format=png", "format=jpeg", "format=webp%26q=50"]
        let clients = try queries.map { query in
            let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 40_000)
            try client.send(
                "GET /playground/image?path=/photos/a.png%3Fblur=1%26\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            return client
        }
        var times: Set<String> = []
        for client in clients {
            let answer = try client.readResponse()
            let timing = try #require(answer["Server-Timing"], "\(answer.head)")
            let encode = try #require(timing.firstMatch(of: #/encode;dur=([0-9.]+)/#)?.output.1, "\(timing)")
            times.insert(String(encode))
        }
        #expect(times.count == queries.count, "\(times)")
    }

    @Test func `no request of the public listener reaches a picture`() throws {
        let rig = try rig()
        let id = try id(send(rig, Self.picture))
        for target in [
            "/\(Configuration.Playground.source)/\(id)", "/playground/\(id)", "/playground/pictures/\(id)",
            "/playground/image?picture=\(id)", "/fetch?url=playground:\(id)", "/photos/\(id)", "/playground",
            "/.playground/\(id)?w=20", "/overlay.js", "/language",
        ] {
            let answer = try rig.get(target)
            #expect(answer.status >= 400 && answer.body != Self.picture, "\(target) \(answer.status)")
        }
    }

    @Test func `pictures are bounded in number and size, and can be removed`() throws {
        let rig = try rig("playground: { pictures: 2, memory: 1MiB }")
        let first = try id(send(rig, Self.picture))
        _ = try send(rig, Self.picture)
        let third = try send(rig, Self.picture)
        #expect(third.status == 503 && third["Retry-After"] != nil && third.text.contains("playground.pictures"))
        #expect(try rig.admin("DELETE", "/playground/pictures/\(first)").status == 204)
        #expect(try rig.admin("DELETE", "/playground/pictures/\(first)").status == 404)
        #expect(try image(rig, "picture=\(first)").status == 404)
        #expect(try send(rig, Self.picture).status == 201)
        let large = try send(rig, [UInt8](repeating: 0, count: 1_100_000))
        #expect(large.status == 413, "\(large.text)")
        let used = try rig.admin("GET", "/stats").text
        #expect(used.contains("\"playground\":\(2 * Self.picture.count)"), "\(used)")
        let off = try self.rig("playground: { pictures: 0 }")
        #expect(try send(off, Self.picture).status == 403)
    }

    @Test func `what is not a picture is refused`() throws {
        let rig = try rig()
        let text = try send(rig, Array("hello, this is a text and not a picture at all".utf8))
        #expect(text.status == 415, "\(text.text)")
        let cut = try send(rig, Array(Self.picture.prefix(20)))
        #expect(cut.status == 422 || cut.status == 415)
    }

    @Test func `pictures end after ten minutes`() throws {
        let time = ManualTime()
        let pictures = PlaygroundPictures(time: time) { PlaygroundPictures.Limits(pictures: 2, bytes: 1_000) }
        let id = try pictures.add(.init(mediaType: "image/png", bytes: [1, 2, 3]))
        time.advance(seconds: 599)
        #expect(pictures.picture(id)?.bytes == [1, 2, 3] && pictures.bytes == 3)
        time.advance(seconds: 1)
        #expect(pictures.picture(id) == nil && pictures.bytes == 0)
        let ids = try (0..<2).map { _ in try pictures.add(.init(mediaType: "image/png", bytes: [1])) }
        #expect(Set(ids).count == 2)
        #expect(throws: Problem.self) { _ = try pictures.add(.init(mediaType: "image/png", bytes: [1])) }
    }

    @Test func `neither a preset nor a rule has results stored`() throws {
        let rig = try rig(
            """
            presets: { thumb: { query: "w=4&format=png", cache: all } }
            rules: [{ match: { path: "photos/*" }, set: { cache: all } }]
            """
        )
        let id = try id(send(rig, Self.picture))
        for query in ["picture=\(id)&query=preset=thumb", "path=/photos/a.png%3Fw=20%26format=png"] {
            for _ in 0..<2 {
                let tried = try image(rig, query)
                #expect(tried.status == 200, "\(tried.text)")
                #expect(tried["Server-Timing"]?.contains("encode") == true, "\(query)")
            }
        }
    }

    @Test func `signs a path with the key of its site, which stays on the server`() throws {
        let rig = try rig("signing: { keys: [\"\(Self.key)\"], required: true }")
        let answer = try rig.post("/playground/sign", #"{"path":"/photos/a.png?w=20&sig=old&exp=1","seconds":60}"#)
        guard case .string(let path)? = JSONValue(parsing: answer.text)?["path"] else {
            Issue.record("\(answer.text)")
            return
        }
        #expect(path.hasPrefix("/photos/a.png?w=20&exp=") && !answer.text.contains(Self.key))
        #expect(try rig.get(path).status == 200)
        #expect(try rig.get(path.split(separator: "w=20").joined(separator: "w=21")).status == 403)
        let setup = try rig.admin("GET", "/playground/setup").text
        #expect(setup.contains("\"signing\":true") && !setup.contains(Self.key))
        let kept = try rig.post("/playground/sign", #"{"path":"/photos/a.png?w=20&exp=1"}"#).text
        #expect(kept.contains("exp=1&sig="), "\(kept)")
        for (body, status) in [
            (#"{"path":"/photos/a.png?w=20&scope=w:1-99"}"#, 400), (#"{"path":"/photos/a.png?widht=2"}"#, 400),
            (#"{"path":"photos"}"#, 400), ("", 400), (#"{"path":"/photos/a.png","path":"/photos/b.png"}"#, 400),
            (#"{"path":"/photos/a.png","seconds":0}"#, 400), (#"{"path":"/none/a.png"}"#, 404),
        ] {
            #expect(try rig.post("/playground/sign", body).status == status, "\(body)")
        }
        let keyless = try self.rig().post("/playground/sign", #"{"path":"/photos/a.png"}"#)
        #expect(keyless.status == 409 && keyless.text.contains("signing.keys"))
        #expect(keyless.text.contains(#""title":"Conflict","status":409"#), "\(keyless.text)")
    }

    @Test func `the page has a strict policy, and tables of all parameters without scripts`() throws {
        let rig = try rig()
        let page = try rig.admin("GET", "/playground")
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
        let policy = try #require(page["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        for form in ParameterTable.steps.flatMap(\.parameters) + ParameterTable.settings {
            #expect(page.text.contains("<code>\(form.name)</code>"), "\(form.name)")
        }
        #expect(!page.text.contains("<script>") && !page.text.contains(" style="))
        var weight = 0
        for name in ["playground.js", "score.js", "playground.css"] {
            let file = try rig.admin("GET", "/assets/\(name)")
            #expect(file.status == 200)
            #expect(page.text.contains("/assets/\(name)") || name == "score.js")
            weight += file.body.count
            let again = try rig.admin("GET", "/assets/\(name)", [("If-None-Match", file["ETag"] ?? "")])
            #expect(again.status == 304)
        }
        // An eighth of it is the score, which the page measures by itself.
        #expect(weight <= 45_500, "\(weight)")
    }

    @Test func `all of it needs the token, except the overlay`() throws {
        let rig = try rig()
        let listeners = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: abc }\n"
        try rig.daemon.rewrite(rig.yaml(), listeners: listeners)
        rig.daemon.signal(SIGHUP)
        try waitWhile(rig.admin("GET", "/playground/setup").status != 401)
        for target in ["/playground", "/playground/image?path=/photos/a.png", "/language", "/assets/playground.js"] {
            #expect(try rig.admin("GET", target).status == 401, "\(target)")
        }
        #expect(try send(rig, Self.picture).status == 401)
        #expect(try send(rig, Self.picture, fields: "Authorization: Bearer abc\r\n").status == 201)
        let overlay = try rig.admin("GET", "/overlay.js", [("Origin", "http://localhost:3000")])
        #expect(overlay.status == 200 && overlay["Content-Type"] == "text/javascript; charset=utf-8")
        #expect(overlay["Cross-Origin-Resource-Policy"] == "cross-origin")
        #expect(overlay["Access-Control-Allow-Origin"] == "*")
        #expect(overlay.body.count <= 6_144, "\(overlay.body.count)")
    }

    @Test func `the language has each parameter with its range or its choices`() throws {
        let text = try rig().admin("GET", "/language").text
        let language = JSONValue(parsing: text)
        guard case .array(let steps)? = language?["steps"], case .array(let settings)? = language?["settings"] else {
            Issue.record("\(text)")
            return
        }
        #expect(steps.count == StepRegistry.types.count && settings.count == PlanSetting.all.count)
        #expect(
            text.contains(
                #"{"name":"blur","example":"8","form":{"kind":"decimal","min":0.3,"max":250.0,"unit":"pixels"}}"#
            )
        )
    }
}
