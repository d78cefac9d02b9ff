import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Raw responses on disk, through the real daemon and its restarts.
@Suite(.timeLimit(.minutes(1)))
struct RawDiskWayTests {
    private static let purging = "purge: { allow: [127.0.0.1] }"

    private func rig(_ source: String = "", _ extra: String = purging) throws -> EndToEndRig {
        try EndToEndRig(extra, source: ", raw: true\(source)") { request, connection in
            let name = request.target.dropFirst()
            connection.respond(
                "203 Said",
                ["Cache-Control: max-age=600", "Content-Type: text/x", "Surrogate-Key: k-\(name)", "Vary: X"],
                text: "\(name) \(request.field("X") ?? "-")"
            )
        }
    }

    @Test func `stored responses are served from disk after a kill`() throws {
        let rig = try rig()
        for value in ["1", "2"] { #expect(try rig.get("/photos/a", [("X", value)]).text == "a \(value)") }
        try rig.waitUntil("edgeprint_disk_stores_total", is: 2)
        try rig.restartAfterKill(Self.purging, source: ", raw: true")
        for value in ["1", "2"] {
            let answer = try rig.get("/photos/a", [("X", value)])
            #expect(answer.status == 203 && answer.text == "a \(value)" && answer["Content-Type"] == "text/x")
            #expect(answer["Age"] != nil)
        }
        #expect(rig.origin.requests == 2)
    }

    @Test(arguments: [
        #"{"url":"/photos/a"}"#, #"{"source":"photos"}"#, #"{"tag":"k-a"}"#, #"{"prefix":"/photos/a"}"#,
        #"{"all":true}"#,
    ])
    func `every form of purge is permanent, also for entries that only the disk has`(order: String) throws {
        let rig = try rig()
        _ = try rig.get("/photos/a")
        try rig.waitUntil("edgeprint_disk_stores_total", is: 1)
        try rig.restartAfterKill(Self.purging, source: ", raw: true")
        let admin = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        try admin.send(
            "POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(order.utf8.count)\r\n\r\n\(order)"
        )
        let answer = try admin.readResponse()
        #expect(answer.status == 200 && answer.text.contains("\"originals\":1"), "\(answer.text)")
        try rig.restartAfterKill(Self.purging, source: ", raw: true")
        #expect(try rig.cacheStatus("/photos/a") == "edgeprint; fwd=uri-miss; fwd-status=203")
    }

    @Test func `an unsafe request removes the response from disk`() throws {
        let rig = try rig(", methods: [DELETE]")
        _ = try rig.get("/photos/a")
        try rig.waitUntil("edgeprint_disk_stores_total", is: 1)
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        #expect(try client.request("DELETE", "/photos/a").status == 203)
        // Writes are executed in order, so the removal is complete as well.
        _ = try rig.get("/photos/b")
        try rig.waitUntil("edgeprint_disk_stores_total", is: 2)
        try rig.restartAfterKill(Self.purging, source: ", raw: true")
        #expect(try rig.cacheStatus("/photos/a") == "edgeprint; fwd=uri-miss; fwd-status=203")
        #expect(try rig.cacheStatus("/photos/b") == "edgeprint; hit; detail=disk")
    }

    @Test func `the source selects the tiers, and a reload that removes one drops its content`() throws {
        let rig = try rig(", cache: disk")
        _ = try rig.get("/photos/a")
        try rig.waitUntil("edgeprint_disk_stores_total", is: 1)
        #expect(try rig.cacheStatus("/photos/a")?.contains("hit; detail=") == true)
        #expect(try rig.metric("edgeprint_raw_entries") == 0)
        try rig.rewrite(Self.purging, source: ", raw: true, cache: memory")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.cacheStatus("/photos/a")?.contains("fwd=uri-miss") == true)
        #expect(try rig.cacheStatus("/photos/a") == "edgeprint; hit; detail=memory")
        #expect(try rig.metric("edgeprint_disk_stores_total") == 1)
    }

    @Test func `counts in metrics and stats`() throws {
        let rig = try rig()
        for _ in 0..<3 { _ = try rig.get("/photos/a") }
        #expect(try rig.metric("edgeprint_raw_entries") == 1 && rig.metric("edgeprint_raw_evictions_total") == 0)
        let text = try RawHTTPClient(port: rig.daemon.admin).get("/stats").text
        let stats = try #require(JSONValue(parsing: text))
        let quota = (64 << 20) / 4
        let expected = [
            "raw.entries": 1, "raw.quota": quota, "raw.hits": 2, "raw.misses": 1, "raw.evictions": 0,
            "memory.entries": 0, "memory.bytes": 0, "memory.quota": 3 * quota, "memoryPressure.allowed": 4 * quota,
        ]
        for (path, value) in expected { #expect(stats[path]?.int == value, "\(path): \(text)") }
    }
}
