import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Stale responses and cached failures of the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct FailureAnswerTests {
    let picture = TestImages.gradient(width: 320, height: 240)

    private func next(_ count: borrowing Lock<Int>) -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    @Test func `a stale image is served while one request revalidates it`() async throws {
        let gate = try ScriptedGate()
        let asked = Lock(0)
        let rig = try EndToEndRig { [picture] _, connection in
            if next(asked) > 1 { gate.wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=0, stale-while-revalidate=600"], body: picture)
        }
        let first = try rig.get("/photos/a.png?w=100&format=png")
        #expect(first["Cache-Status"] == "edgeprint; fwd=uri-miss")
        for _ in 0..<10 {
            let stale = try rig.get("/photos/a.png?w=100&format=png")
            #expect(stale["Cache-Status"] == "edgeprint; hit; detail=stale")
            #expect(stale.body == first.body)
        }
        await rig.origin.arrival(of: 2)
        #expect(rig.origin.requests == 2)
        gate.open()
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
    }

    @Test func `stored images replace failures of the origin`() throws {
        let asked = Lock(0)
        let rig = try EndToEndRig(source: ", stale-if-error: 1h") { [picture] _, connection in
            if next(asked) > 1 {
                connection.respond("503 Service Unavailable", text: "down")
            } else {
                connection.respond("200 OK", ["Cache-Control: max-age=0"], body: picture)
            }
        }
        let first = try rig.get("/photos/a.png?w=100&format=png")
        for target in ["/photos/a.png?w=100&format=png", "/photos/a.png?w=50&format=png", "/photos/a.png"] {
            let answer = try rig.get(target)
            #expect(answer.status == 200)
            #expect(answer["Cache-Status"] == "edgeprint; hit; detail=stale", "\(target)")
        }
        #expect(try rig.get("/photos/a.png?w=100&format=png").body == first.body)
        #expect(rig.origin.requests == 2)
    }

    @Test func `a failure is served from the cache, listed, and removed on request`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        let first = try rig.get("/photos/none.png?w=100")
        #expect(first.status == 404 && first["Cache-Control"] == "no-store")
        #expect(first["Cache-Status"] == "edgeprint; fwd=uri-miss; fwd-status=404")
        let second = try rig.get("/photos/none.png?w=200")
        #expect(second.status == 404)
        #expect(second["Cache-Status"] == "edgeprint; hit; detail=negative")
        #expect(second["Cache-Control"] == "public, max-age=300" || second["Cache-Control"] == "public, max-age=299")
        #expect(second["Vary"] == "Accept, Save-Data, Sec-Fetch-Dest")
        #expect(rig.origin.requests == 1)
        #expect(try rig.metric("edgeprint_negative_entries") == 1)
        #expect(try rig.metric("edgeprint_negative_hits_total") == 1)
        let admin = try RawHTTPClient(port: rig.daemon.admin)
        let listed = try admin.get("/negative").text
        #expect(listed.contains("\"class\":\"missing\"") && listed.contains("/none.png") && listed.contains("404"))
        let other = try admin.request("DELETE", "/negative?url=%2Fphotos%2Fother.png")
        #expect(other.text == "{\"forgotten\":0}\n")
        #expect(try admin.request("DELETE", "/negative?url=%2Fphotos%2Fnone.png").text == "{\"forgotten\":1}\n")
        #expect(try rig.cacheStatus("/photos/none.png?w=200") == "edgeprint; fwd=uri-miss; fwd-status=404")
        #expect(rig.origin.requests == 2)
        #expect(try admin.request("DELETE", "/negative").text == "{\"forgotten\":1}\n")
        #expect(try admin.request("DELETE", "/negative?path=x").status == 400)
    }

    @Test func `a failure survives a restart, but not with another configuration`() throws {
        let (small, target) = ("limits: { pixels: 1000 }", "/photos/a.png?w=100")
        let rig = try EndToEndRig(small, script: ScriptedOrigin.pictures(["a.png": picture]))
        #expect(try rig.get(target).status == 422)
        try restart(rig, small)
        try rig.waitUntil("edgeprint_negative_entries", is: 1)
        #expect(try rig.cacheStatus(target) == "edgeprint; hit; detail=negative")
        try restart(rig, "")
        #expect(try rig.get(target).status == 200)
    }

    /// Restarts the daemon as an operator does, so that failures of the last seconds are kept.
    private func restart(_ rig: EndToEndRig, _ extra: String) throws {
        rig.daemon.signal(SIGTERM)
        #expect(rig.daemon.waitForExit() == 0)
        try rig.restartAfterKill(extra)
    }

    @Test func `a worker's refusal names its parameter, also when cached`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        for (query, name) in [("crop=9000,9000,1,1", "crop"), ("max_bytes=100&format=webp", "max_bytes")] {
            for _ in 0..<2 {
                let answer = try rig.get("/photos/a.png?\(query)")
                #expect(answer.status == 422)
                #expect(answer.text.contains("\"parameter\":\"\(name)\""), "\(answer.text)")
            }
        }
        #expect(try rig.metric("edgeprint_negative_hits_total") == 2)
    }

    @Test func `only-if-cached is a 504 if nothing is stored, for any client`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let fields = [("Cache-Control", "only-if-cached")]
        #expect(try rig.get("/photos/a.png?w=100", fields).status == 504)
        #expect(rig.origin.requests == 0)
        _ = try rig.get("/photos/a.png?w=100")
        #expect(try rig.get("/photos/a.png?w=100", fields)["Cache-Status"] == "edgeprint; hit; detail=memory")
    }

    @Test func `no-cache is only honoured from trusted clients`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let listeners = "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: \"letmein\" }\n"
        try rig.daemon.rewrite(rig.yaml(), listeners: listeners)
        rig.daemon.signal(SIGHUP)
        try waitWhile(RawHTTPClient(port: rig.daemon.admin).get("/stats").status != 401)
        _ = try rig.get("/photos/a.png?w=100")
        let ignored = try rig.get("/photos/a.png?w=100", [("Cache-Control", "no-cache"), ("Pragma", "no-cache")])
        #expect(ignored["Cache-Status"] == "edgeprint; hit; detail=memory")
        let wrong = [("Cache-Control", "no-cache"), ("Authorization", "Bearer letmeout")]
        #expect(try rig.get("/photos/a.png?w=100", wrong)["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(rig.origin.requests == 1)
        let trusted = [("Cache-Control", "no-cache"), ("Authorization", "Bearer letmein")]
        #expect(try rig.get("/photos/a.png?w=100", trusted).status == 200)
        #expect(rig.origin.requests == 2)
    }

    @Test func `a signed URL permits no-cache only as refresh=1`() throws {
        let key = String(repeating: "ab", count: 32)
        let rig = try EndToEndRig(
            "signing: { keys: [\(key)] }",
            script: ScriptedOrigin.pictures(["a.png": picture])
        )
        func url(_ parameters: String...) throws -> String {
            let arguments = ["url", "photos/a.png"] + parameters + ["--config", rig.daemon.configurationFile]
            return String(try CommandRun(arguments).output.dropLast())
        }
        let plain = try url("w=100", "format=png")
        #expect(plain.contains("sig="))
        #expect(try rig.get(plain).status == 200)
        for directive in ["no-cache", "max-age=0", "no-store"] {
            let answer = try rig.get(plain, [("Cache-Control", directive)])
            #expect(answer["Cache-Status"] == "edgeprint; hit; detail=memory", "\(directive)")
        }
        #expect(rig.origin.requests == 1)
        let refused = try rig.get("/photos/a.png?w=100&format=png&refresh=1")
        #expect(refused.status == 403 && refused.text.contains("\"parameter\":\"refresh\""))
        #expect(try rig.get("/photos/a.png?w=100&format=png&refresh=0").status == 200)
        #expect(rig.origin.requests == 1)
        // It names no other variant.
        let refresh = try url("w=100", "format=png", "refresh=1")
        #expect(try rig.get(refresh).status == 200)
        #expect(rig.origin.requests == 2)
        #expect(try rig.get(plain)["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
    }

    @Test func `refresh=1 retries a cached failure`() throws {
        let key = String(repeating: "ab", count: 32)
        let asked = Lock(0)
        let rig = try EndToEndRig("signing: { keys: [\(key)] }") { [picture] _, connection in
            guard next(asked) > 1 else { return connection.respond("404 Not Found", text: "not yet") }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        #expect(try rig.get("/photos/a.png?w=100").status == 404)
        #expect(try rig.get("/photos/a.png?w=100").status == 404)
        let arguments = ["url", "photos/a.png", "w=100", "refresh=1", "--config", rig.daemon.configurationFile]
        #expect(try rig.get(String(try CommandRun(arguments).output.dropLast())).status == 200)
        #expect(try rig.get("/photos/a.png?w=100").status == 200)
        // Without a key there is no such URL.
        try rig.rewrite()
        #expect(try CommandRun(arguments).code == 1)
    }

    @Test func `a fallback image replaces an original, in the requested size`() throws {
        let rig = try EndToEndRig(
            source: ", fallback: { image: /photos/missing.png, status: 200, ttl: 7s }",
            script: ScriptedOrigin.pictures(["missing.png": picture])
        )
        let answer = try rig.get("/photos/none.png?w=100&format=png")
        #expect(answer.status == 200)
        #expect(answer["Cache-Status"] == "edgeprint; detail=fallback")
        #expect(answer["Cache-Control"] == "public, max-age=7")
        #expect(PictureHeader.size(ofPNG: answer.body) == [100, 75])
        #expect(try rig.get("/photos/none.png").body == picture)
        // An error of the request has no fallback.
        #expect(try rig.get("/photos/none.png?w=zz").status == 400)
        #expect(try rig.get("/photos/missing.png?crop=9000,9000,1,1").status == 422)
        // Neither has a missing fallback image.
        try rig.rewrite(source: ", fallback: { image: /photos/gone.png }")
        rig.daemon.signal(SIGHUP)
        try waitWhile(rig.get("/photos/none.png?w=100&format=png").status == 200)
        #expect(try rig.get("/photos/none.png?w=50&format=png").status == 404)
    }

    @Test func `a fallback image that awaits its AVIF has the stand-in's lifetime`() throws {
        let rig = try EndToEndRig(
            source: ", avif: { budget: 0s, stand-in: 3s }"
                + ", fallback: { image: /photos/missing.png, status: 200, ttl: 1d }",
            script: ScriptedOrigin.pictures(["missing.png": picture])
        )
        let answer = try rig.get("/photos/none.png?w=100", [("Accept", "image/avif")])
        #expect(answer["Cache-Status"] == "edgeprint; detail=fallback")
        #expect(answer["Content-Type"] == "image/webp")
        #expect(answer["Cache-Control"] == "public, max-age=3")
    }
}
