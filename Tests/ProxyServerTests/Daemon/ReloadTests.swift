import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReloadTests {
    let picture = TestImages.gradient(width: 64, height: 48)

    private func rig(_ extra: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, script: ScriptedOrigin.pictures(["a.png": picture]))
    }

    private func reload(_ rig: EndToEndRig, _ extra: String, source: String = "", times: Int = 1) throws {
        try rig.rewrite(extra, source: source)
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration re", times: times)
    }

    @Test func `applies presets and sources without dropping a connection`() throws {
        let rig = try rig("presets: { p: \"w=8\" }")
        let client = try RawHTTPClient(port: rig.daemon.port)
        #expect(PictureHeader.size(ofPNG: try client.get("/photos/a.png?preset=p&format=png").body) == [8, 6])
        try reload(rig, "presets: { p: \"w=16\", q: \"w=4\" }", source: ", originals: refuse")
        #expect(PictureHeader.size(ofPNG: try client.get("/photos/a.png?preset=p&format=png").body) == [16, 12])
        #expect(PictureHeader.size(ofPNG: try client.get("/photos/a.png?preset=q&format=png").body) == [4, 3])
        #expect(try client.get("/photos/a.png").status == 403)
        #expect(rig.daemon.logText.contains("configuration reloaded"))
        #expect(rig.daemon.logText.contains("\"changed\":\"sources, presets\""), "\(rig.daemon.logText)")
        #expect(try rig.metric("edgeprint_configuration_reloads_total") == 1)
    }

    @Test func `a request in progress finishes under its initial configuration`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { [picture] _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET /photos/a.png?w=8&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
        await rig.origin.arrival(of: 1)
        try rig.daemon.rewrite("cache: { path: \"\(rig.folder.path)/cache\", memory: 64MiB }\n")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        gate.open()
        #expect(try client.readResponse().status == 200)
        #expect(try client.get("/photos/a.png?w=8&format=png").status == 404)
    }

    @Test func `an invalid file is rejected with its reason, and the old one stays in force`() throws {
        let rig = try rig("presets: { p: \"w=8\" }")
        try reload(rig, "presets: { p: \"w=nothing\" }\nlimits: { queue: -1 }")
        try rig.daemon.waitForLog("stays in force")
        let log = rig.daemon.logText
        #expect(log.contains("edgeprint.yaml:6: presets.p: "), "\(log)")
        #expect(log.contains("edgeprint.yaml:7: limits.queue: "), "\(log)")
        #expect(!log.contains("configuration reloaded"))
        #expect(PictureHeader.size(ofPNG: try rig.get("/photos/a.png?preset=p&format=png").body) == [8, 6])
        #expect(try rig.metric("edgeprint_configuration_reloads_total{result=\"refused\"}") == 1)
        // A valid file is applied afterwards.
        try reload(rig, "presets: { p: \"w=4\" }", times: 3)
        #expect(PictureHeader.size(ofPNG: try rig.get("/photos/a.png?preset=p&format=png").body) == [4, 3])
    }

    @Test(arguments: ["", "# nothing yet\n"])
    func `an emptied file is rejected and named`(text: String) throws {
        let rig = try rig("presets: { p: \"w=8\" }")
        try Data(text.utf8).write(to: URL(fileURLWithPath: rig.daemon.configurationFile))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("stays in force")
        let log = rig.daemon.logText
        #expect(log.contains("the configuration file sets nothing any more") && !log.contains("disappeared"), "\(log)")
        #expect(PictureHeader.size(ofPNG: try rig.get("/photos/a.png?preset=p&format=png").body) == [8, 6])
    }

    @Test func `a pipe in place of a value's file is rejected and holds nothing up`() throws {
        let rig = try rig()
        let fifo = rig.folder.path + "/fifo"
        try checked("mkfifo") { unsafe mkfifo(fifo, 0o600) }
        try reload(rig, "signing: { keys: [!file \(fifo)] }")
        try rig.daemon.waitForLog("stays in force")
        #expect(rig.daemon.logText.contains("\(fifo) is a pipe"), "\(rig.daemon.logText)")
        try rig.rewrite("presets: { p: \"w=4\" }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(PictureHeader.size(ofPNG: try rig.get("/photos/a.png?preset=p&format=png").body) == [4, 3])
    }

    @Test func `names keys that need a restart, and keeps their old values`() throws {
        let rig = try rig()
        try rig.daemon.rewrite(
            "cache: { path: \"\(rig.folder.path)/other\" }\n",
            listeners: "listen: 127.0.0.1:1\nadmin: { listen: \"127.0.0.1:0\" }\n"
        )
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("need a restart")
        #expect(rig.daemon.logText.contains("\"keys\":\"listen, cache.path\""), "\(rig.daemon.logText)")
        #expect(try rig.get("/").status == 200)
    }

    @Test func `limits, quotas and the log level change at run time`() throws {
        let rig = try rig()
        for width in 1...20 { _ = try rig.get("/photos/a.png?w=\(width)&format=png") }
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"memory\"}") == 20)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 20)
        try rig.daemon.rewrite(
            rig.yaml("log: { level: warning }\nlimits: { connections: 1 }").replacing(
                "memory: 64MiB",
                with: "memory: 0"
            )
        )
        rig.daemon.signal(SIGHUP)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"memory\"}", is: 0)
        try rig.waitUntil("edgeprint_configuration_reloads_total", is: 1)
        // The new level applies before the report, which is a notice and so below it.
        #expect(!rig.daemon.logText.contains("configuration reloaded"))
        #expect(try rig.cacheStatus("/photos/a.png?w=20&format=png") == "edgeprint; hit; detail=disk")
        // A connection is counted until the loop has seen its end.
        try rig.waitUntil("edgeprint_connections", is: 0)
        let first = try RawHTTPClient(port: rig.daemon.port)
        #expect(try first.get("/").status == 200)
        #expect(try RawHTTPClient(port: rig.daemon.port).get("/").status == 503)
    }

    @Test func `content of a tier is not served once its source no longer uses the tier`() throws {
        let rig = try rig()
        for _ in 1...2 { #expect(try rig.get("/photos/a.png?w=8").status == 200) }
        #expect(try rig.cacheStatus("/photos/a.png?w=8") == "edgeprint; hit; detail=memory")
        try reload(rig, "", source: ", cache: none")
        for count in 2...3 {
            #expect(try rig.cacheStatus("/photos/a.png?w=8") == "edgeprint; fwd=uri-miss")
            #expect(rig.origin.requests == count)
        }
        #expect(try rig.get("/photos/a.png?w=8")["Cache-Control"] == "max-age=3600")
        try reload(rig, "", source: ", cache: memory", times: 2)
        #expect(try rig.cacheStatus("/photos/a.png?w=8") == "edgeprint; fwd=uri-miss")
        #expect(try rig.cacheStatus("/photos/a.png?w=8") == "edgeprint; hit; detail=memory")
        #expect(try rig.metric("edgeprint_cache_entries{tier=\"variants\"}") ?? 0 == 0)
    }

    @Test func `content from private networks is not served once its source may not reach them`() throws {
        let remote = "remote: { allow: [127.0.0.1], allow-private: true }"
        let rig = try rig(remote)
        let fetch = "/fetch?url=http:%2F%2F127.0.0.1:\(rig.origin.port)%2Fa.png"
        for target in ["/photos/a.png", fetch] {
            #expect(try rig.get(target).status == 200)
            #expect(try rig.get(target + (target == fetch ? "&w=8" : "?w=8")).status == 200)
        }
        #expect(rig.origin.requests == 2)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 2)
        func apply(_ extra: String, from: String, to: String, times: Int) throws {
            try rig.daemon.rewrite(rig.yaml(extra).replacing(from, with: to))
            rig.daemon.signal(SIGHUP)
            try rig.daemon.waitForLog("configuration re", times: times)
        }
        let (own, none) = ("/\", allow-private: true", "/\", allow-private: false")
        try apply(remote, from: own, to: none, times: 1)
        // The bare original, a stored size, and one that would be made of the stored original.
        for target in ["/photos/a.png", "/photos/a.png?w=8", "/photos/a.png?w=9"] {
            #expect(try rig.get(target).status == 403, "\(target)")
        }
        #expect(try rig.cacheStatus(fetch)?.hasPrefix("edgeprint; hit") == true)
        try apply("remote: { allow: [127.0.0.1] }", from: own, to: none, times: 2)
        for target in [fetch, fetch + "&w=8", fetch + "&w=9"] {
            #expect(try rig.get(target).status == 403, "\(target)")
        }
        #expect(rig.origin.requests == 2)
        try apply(remote, from: own, to: own, times: 3)
        for target in ["/photos/a.png?w=8", fetch + "&w=8"] { #expect(try rig.get(target).status == 200, "\(target)") }
        #expect(rig.origin.requests == 4)
    }
}
