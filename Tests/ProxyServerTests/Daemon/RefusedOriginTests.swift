import TestSupport
import Testing

/// Responses of `/fetch?url=` for refused origins must be indistinguishable.
@Suite(.timeLimit(.minutes(1)))
struct RefusedOriginTests {
    /// Status, text and lifetime.
    private func answer(_ rig: EndToEndRig, _ url: String) throws -> String {
        let answer = try rig.get("/fetch?url=\(url)&w=10")
        let body = answer.text.split(separator: ",").filter { !$0.contains("\"id\"") && !$0.contains("instance") }
        let lifetime = answer["Cache-Control"]?.hasPrefix("public, max-age=") == true ? "kept" : "no-store"
        return "\(answer.status) \(lifetime) \(body.joined(separator: ","))"
    }

    @Test func `all refused origins look alike to clients, and the log has the reason`() throws {
        let rig = try EndToEndRig("remote: { allow: [\"*\"] }", script: ScriptedOrigin.pictures([:]))
        let port = rig.origin.port
        let urls = [
            "http://nobody.invalid/a", "http://10.0.0.1/a", "http://localhost:\(port)/a", "http://127.0.0.1:\(port)/a",
            "http://%5Bfd00::1%5D/a", "http://nobody.invalid:25/a",
        ]
        let first = try answer(rig, urls[0])
        #expect(first.hasPrefix("403 no-store"))
        for url in urls.dropFirst() { #expect(try answer(rig, url) == first, "\(url)") }
        // Cached alike, too.
        let second = try answer(rig, urls[0])
        #expect(second.hasPrefix("403 kept"))
        for url in urls.dropFirst() { #expect(try answer(rig, url) == second, "\(url)") }
        #expect(rig.origin.connections == 0)
        for rule in ["unresolved", "private", "loopback", "unique-local", "bad-port"] {
            try rig.daemon.waitForLog("\"rule\":\"\(rule)\"")
        }
    }

    @Test(arguments: [
        "http://1.1.1./a", "http://1.2.3.4.5/a", "http://a..example.com/a",
        "http://good.example%23@10.0.0.1/a",
    ])
    func `a URL that parsers could interpret differently is malformed`(url: String) throws {
        let rig = try EndToEndRig("remote: { allow: [\"*\"] }", script: ScriptedOrigin.pictures([:]))
        let answer = try rig.get("/fetch?url=\(url)&w=10")
        #expect(answer.status == 400)
        #expect(answer.text.contains("\"parameter\":\"url\""))
    }

    @Test func `a malformed URL below a source is not cached as a refusal`() throws {
        let prefix = "http://127.0.0.1:9/" + String(repeating: "b", count: 1000)
        let rig = try EndToEndRig(
            sources: "\n  far: { url: \"\(prefix)\", allow-private: true }",
            script: ScriptedOrigin.pictures([:])
        )
        // With the prefix, longer than any URL that can be requested.
        let path = "/far/" + String(repeating: "a", count: 8000)
        for _ in 0..<2 {
            let answer = try rig.get("\(path)?w=10")
            #expect(answer.status == 400)
            #expect(answer.text.contains("\"parameter\":\"path\""))
            #expect(answer["Cache-Control"] == "no-store")
        }
        #expect(rig.origin.connections == 0)
    }

    @Test func `a header line of 200 kB is an error of the origin`() throws {
        let rig = try EndToEndRig { _, connection in
            let line = String(repeating: "x", count: 200_000)
            connection.send("HTTP/1.1 200 OK\r\nX-Long: \(line)\r\nContent-Length: 1\r\n\r\nx")
        }
        let answer = try rig.get("/photos/a.png?w=10")
        #expect(answer.status == 502)
        #expect(answer.text.contains("response head over 64 KiB"))
    }
}
