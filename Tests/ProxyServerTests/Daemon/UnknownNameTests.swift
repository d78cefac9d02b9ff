import Glibc
import TestSupport
import Testing

/// Requests with unknown names: each is refused with the nearest name.
@Suite(.timeLimit(.minutes(1)))
struct UnknownNameTests {
    private let rig: EndToEndRig

    init() throws {
        rig = try EndToEndRig(
            "presets: { thumb: \"w=4\" }",
            source: ", forward-query: [version]",
            script: ScriptedOrigin.pictures(["a.png": TestImages.gradient(width: 64, height: 48)])
        )
    }

    @Test(arguments: [
        ("/photos/a.png?width=3", 400, "width: is not a known parameter; did you mean w?"),
        ("/photos/a.png?widht=3", 400, "widht: is not a known parameter; did you mean w?"),
        ("/photos/a.png?quality=80", 400, "quality: is not a known parameter; did you mean q?"),
        ("/photos/a.png?verison=80", 400, "verison: is not a known parameter; did you mean version?"),
        (
            "/photos/a.png?w=3&h=3&fit=covers", 400,
            "fit: must be one of contain, cover, crop, fill, pad, outside, auto, adaptive; did you mean cover?"
        ),
        ("/photos/a.png?preset=thum", 400, "preset: there is no preset 'thum'; did you mean thumb?"),
        ("/fetch?url=http%3A%2F%2Fa.example%2F&preset=thum", 400, "did you mean thumb?"),
        ("/photos/a.png?watermark=photo/b.png", 400, "watermark: there is no source 'photo'; did you mean photos?"),
        ("/phots/a.png?w=3", 404, "There is no such source 'phots'; did you mean 'photos'?"),
        ("/Photos/a.png?w=3", 404, "There is no such source; did you mean 'photos'?"),
        ("/fecth?url=http%3A%2F%2Fa.example%2F", 404, "There is no such source 'fecth'; did you mean 'fetch'?"),
        ("/wp-login.php", 404, "There is no such source."), ("/zebra/a.png", 404, "There is no such source 'zebra'."),
    ])
    func `are refused with the nearest name`(target: String, status: Int, detail: String) throws {
        let answer = try rig.get(target)
        #expect(answer.status == status)
        #expect(answer["Content-Type"] == "application/problem+json" && answer["Cache-Control"] == "no-store")
        #expect(answer.text.contains(detail), "\(answer.text)")
    }

    @Test(arguments: [("/photos/a.png?a=%zz", "query"), ("/photos/%zz.png?a=1", "path"), ("/photos/%zz?%zz", "path")])
    func `of a raw source's target, the part is named that is malformed`(target: String, part: String) throws {
        let rig = try EndToEndRig(source: ", raw: true", script: ScriptedOrigin.pictures([:]))
        let answer = try rig.get(target)
        #expect(answer.status == 400 && answer.text.contains("\"parameter\":\"\(part)\""), "\(answer.text)")
        #expect(answer.text.contains("\(part): has a % that is not followed by two hexadecimal digits"))
        #expect(rig.origin.requests == 0)
    }

    private func post(_ body: String) throws -> RawHTTPResponse {
        let client = try RawHTTPClient(port: rig.daemon.admin)
        try client.send("POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }

    @Test(arguments: [
        (
            #"{"source":"photo"}"#, 404,
            "There is no source 'photo', and no entry of one is cached; did you mean photos?"
        ),
        (#"{"source":"photo","dry":true}"#, 404, "did you mean photos?"),
        (#"{"source":"fetsh","soft":true}"#, 404, "did you mean fetch?"),
        (#"{"preset":"thum"}"#, 404, "There is no preset 'thum', and no entry of one is cached; did you mean thumb?"),
        (#"{"prefix":"/photo/"}"#, 404, "did you mean 'photos'?"),
        (#"{"url":"/photo/a.png"}"#, 404, "did you mean 'photos'?"),
        (#"{"sorce":"photos"}"#, 400, "Did you mean source?"),
        (#"{"source":"photos"}"#, 200, "\"originals\":0"), (#"{"source":"fetch"}"#, 200, "\"originals\":0"),
        (#"{"preset":"thumb"}"#, 200, "\"originals\":0"),
    ])
    func `are not accepted in purges`(body: String, status: Int, text: String) throws {
        let answer = try post(body)
        #expect(answer.status == status && answer.text.contains(text), "\(answer.text)")
    }

    @Test func `make the purge command fail without counting a purge`() throws {
        let admin = ["--config", rig.daemon.configurationFile, "--admin", "127.0.0.1:\(rig.daemon.admin)"]
        for (option, name, meant) in [("--source", "photo", "photos"), ("--preset", "thum", "thumb")] {
            let run = try CommandRun(["purge", option, name] + admin)
            #expect(run.code == 1 && run.output.isEmpty && run.errors.contains("did you mean \(meant)?"), "\(run)")
        }
        #expect(try rig.metric("edgeprint_purges_total") == 0)
    }

    @Test func `entries of a removed source can be purged by its name`() throws {
        #expect(try rig.get("/photos/a.png?w=8&format=png").status == 200)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        try rig.daemon.rewrite(rig.yaml().replacing("photos:", with: "pictures:"))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        let answer = try post(#"{"source":"photos"}"#)
        #expect(answer.status == 200 && answer.text.contains("\"variants\":1"), "\(answer.text)")
        #expect(try post(#"{"source":"photos"}"#).status == 404)
    }

    @Test func `are not accepted when clearing failures`() throws {
        let client = try RawHTTPClient(port: rig.daemon.admin)
        try client.send("DELETE /negative?source=photo HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try client.readResponse()
        #expect(answer.status == 404 && answer.text.contains("did you mean photos?"), "\(answer.text)")
    }

    @Test func `format=jpg is JPEG, and the same cache entry as format=jpeg`() throws {
        let answer = try rig.get("/photos/a.png?w=8&format=jpg")
        #expect(answer.status == 200 && answer["Content-Type"] == "image/jpeg", "\(answer.text)")
        #expect(try rig.cacheStatus("/photos/a.png?w=8&format=jpeg") == "edgeprint; hit; detail=memory")
    }

    @Test(arguments: ["/?url=https%3A%2F%2Fa.example%2Fb.jpg&w=300", "/?w=300", "/?x"])
    func `the root with a query is a 404, never stored, and explains the form of URLs`(target: String) throws {
        let answer = try rig.get(target)
        #expect(answer.status == 404 && answer["Cache-Control"] == "no-store")
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer.text.contains("/fetch?url="), "\(answer.text)")
        let explained = try CommandRun(["explain", target, "--config", rig.daemon.configurationFile])
        #expect(explained.code == 1 && explained.output.contains("responds with 404 Not Found"), "\(explained)")
    }

    @Test(arguments: ["/", "/?"])
    func `the root without a query is a line of text`(target: String) throws {
        let answer = try rig.get(target)
        #expect(answer.status == 200 && answer.text.hasPrefix("Edgeprint"))
    }
}
