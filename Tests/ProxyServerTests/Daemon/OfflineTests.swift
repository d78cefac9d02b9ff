import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// Offline mode: stored responses only, and no request to any origin.
@Suite(.timeLimit(.minutes(1)))
struct OfflineTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    private func admin(_ rig: EndToEndRig, _ method: String, _ path: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: rig.daemon.admin).request(method, path)
    }

    private func rig(_ extra: String = "", source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source) { [picture] _, connection in
            // Stale when it arrives; served while it is revalidated behind.
            let fields = ["Cache-Control: max-age=60, stale-while-revalidate=1000000", "Age: 100000", "ETag: \"e\""]
            connection.respond("200 OK", fields, body: picture)
        }
    }

    /// Requests that must be answered without the origin.
    private func expectOffline(_ rig: EndToEndRig, _ stored: [String], missing: String) throws {
        let before = rig.origin.requests
        for path in stored {
            let answer = try rig.get(path)
            #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; hit; detail=stale", "\(path)")
        }
        let answer = try rig.get(missing)
        #expect(answer.status == 504 && answer["Cache-Status"] == "edgeprint; detail=offline", "\(answer.text)")
        #expect(answer["Cache-Control"] == "no-store")
        // Background refreshes have ended.
        try rig.waitUntil("edgeprint_variants_under_way", is: 0)
        try rig.waitUntil("edgeprint_originals_under_way", is: 0)
        #expect(rig.origin.requests == before)
    }

    @Test func `a source that is told to be offline serves what is stored, and 504 for the rest`() throws {
        let rig = try rig()
        let stored = ["/photos/a.png", "/photos/a.png?w=20&format=png"]
        for path in stored { #expect(try rig.get(path).status == 200) }
        try rig.waitUntil("edgeprint_originals_under_way", is: 0)
        let offline = try admin(rig, "POST", "/sources/photos/offline")
        #expect(offline.text == "{\"source\":\"photos\",\"suspended\":false,\"offline\":true}\n")
        // A new size of a stored original, too.
        try expectOffline(rig, stored + ["/photos/a.png?w=21&format=png"], missing: "/photos/b.png")
        #expect(try rig.metric("edgeprint_sources_offline") == 1)
        #expect(try rig.metric("edgeprint_sources_suspended") == 0)
        #expect(try admin(rig, "GET", "/stats").text.contains("\"offline\":[\"photos\"]"))
        try rig.rewrite("limits: { queue: 100 }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.get("/photos/b.png").status == 504)
        #expect(try admin(rig, "POST", "/sources/photos/resume").text.contains("\"offline\":false"))
        #expect(try rig.get("/photos/b.png").status == 200)
        for line in ["source taken offline", "source resumed"] { try rig.daemon.waitForLog(line) }
    }

    @Test(arguments: [("offline: true", ""), ("", ", offline: true")])
    func `the configuration takes all sources or one offline`(extra: String, source: String) throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png").status == 200)
        try rig.rewrite(extra, source: source)
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        try expectOffline(rig, ["/photos/a.png"], missing: "/photos/b.png")
        let names = extra.isEmpty ? ["photos"] : ["fetch", "photos"]
        #expect(try rig.metric("edgeprint_sources_offline") == Double(names.count))
        let resumed = try admin(rig, "POST", "/sources/photos/resume")
        #expect(resumed.status == 409 && resumed.text.contains("(offline)"), "\(resumed.text)")
        let told = try CommandRun(["explain", "/photos/a.png", "--config", rig.daemon.configurationFile]).output
        #expect(told.contains("offline"), "\(told)")
        try rig.rewrite()
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded", times: 2)
        #expect(try rig.get("/photos/b.png").status == 200)
    }

    @Test func `a raw source is offline likewise, and what waits for its origin is 504`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", raw: true, connections: 1") { request, connection in
            if request.number == 2 { gate.wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=60", "Age: 100000"], text: "text")
        }
        #expect(try rig.get("/photos/a").text == "text")
        let clients = try (0..<2).map { number in
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            try client.send("GET /photos/new\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        await rig.origin.arrival(of: 2)
        try rig.waitUntil("edgeprint_transfers_waiting", is: 1)
        #expect(try admin(rig, "POST", "/sources/photos/offline").status == 200)
        gate.open()
        // One was under way, the other was waiting.
        #expect(try clients.map { try $0.readResponse().status }.sorted() == [200, 504])
        #expect(try rig.get("/photos/a")["Cache-Status"] == "edgeprint; hit; detail=stale")
        #expect(try rig.get("/photos/b").status == 504)
        #expect(rig.origin.requests == 2)
    }
}
