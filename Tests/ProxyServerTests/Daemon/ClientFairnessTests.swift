import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// What one client can take from others on the running daemon: connections to the daemon and to origins.
@Suite(.timeLimit(.minutes(1)))
struct ClientFairnessTests {
    private static let picture = TestImages.gradient(width: 30, height: 20)
    private static let trust = "proxies: { trust: [127.0.0.1] }"

    /// An origin that answers when the gate opens; other paths at once.
    private static func slow(_ gate: ScriptedGate) -> ScriptedOrigin.Script {
        { request, connection in
            if request.target.contains("slow") { gate.wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
    }

    private func client(_ rig: EndToEndRig, _ target: String, of address: String) throws -> RawHTTPClient {
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 40_000)
        try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n")
        return client
    }

    @Test func `a client that waits for a hanging source leaves a connection to others, and gets 503 in time`() throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let overload = Self.trust + "\noverload: { queue-time: 2s }"
        let rig = try EndToEndRig(overload, source: ", connections: 3", script: Self.slow(gate))
        let greedy = try (0..<8).map { try client(rig, "/photos/slow\($0).png?w=9", of: "198.51.100.1") }
        try rig.waitUntil("edgeprint_transfers_active", is: 2)
        let other = try client(rig, "/photos/quick.png?w=9", of: "198.51.100.2").readResponse()
        #expect(other.status == 200)
        // The other six are refused after overload.queue-time, while the source still hangs.
        try rig.waitUntil("edgeprint_transfers_expired_total", is: 6)
        try rig.waitUntil("edgeprint_transfers_waiting", is: 0)
        gate.open()
        let answers = try greedy.map { try $0.readResponse() }
        #expect(answers.count { $0.status == 200 } == 2)
        let refused = answers.filter { $0.status == 503 }
        #expect(refused.count == 6)
        #expect(refused.allSatisfy { $0["Retry-After"] == "1" && $0["Content-Type"] == "application/problem+json" })
    }

    @Test func `after 60 clients have left by FIN, the next picture has a connection at once`() async throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let rig = try EndToEndRig(source: ", connections: 6", script: Self.slow(gate))
        // All from one address: only because they have left is there a connection for the next one.
        let gone = try (0..<60).map { try client(rig, "/photos/slow\($0).png?w=9", of: "-") }
        await rig.origin.arrival(of: 5)
        for client in gone { client.shutdownWrite() }
        let next = try client(rig, "/photos/quick.png?w=9", of: "-").readResponse()
        #expect(next.status == 200)
        try rig.waitUntil("edgeprint_transfers_active", is: 0)
        try rig.waitUntil("edgeprint_transfers_waiting", is: 0)
        try rig.waitUntil("edgeprint_variants_under_way", is: 0)
        // No worker has made anything for them.
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
    }

    @Test func `a half-closed client is answered while only background work waits`() async throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let rig = try EndToEndRig(source: ", connections: 1", script: Self.slow(gate))
        let halfClosed = try client(rig, "/photos/slow.png?w=9", of: "-")
        await rig.origin.arrival(of: 1)
        halfClosed.shutdownWrite()
        let prefetch = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 40_000)
        try prefetch.send("GET /photos/later.png?w=9 HTTP/1.1\r\nHost: a\r\nSec-Purpose: prefetch\r\n\r\n")
        try rig.waitUntil("edgeprint_transfers_waiting", is: 1)
        gate.open()
        #expect(try halfClosed.readResponse().status == 200)
        #expect(try prefetch.readResponse().status == 200)
    }

    @Test func `idle connections of one client are limited, and others are served`() throws {
        let rig = try EndToEndRig(
            "clients: { connections: 3 }",
            script: ScriptedOrigin.pictures(["a.png": Self.picture])
        )
        func get(from address: String) throws -> RawHTTPResponse {
            try RawHTTPClient(port: rig.daemon.port, from: address, timeoutMilliseconds: 20_000).get("/photos/a.png")
        }
        let idle = try (0..<5).map { _ in try RawHTTPClient(port: rig.daemon.port, from: "127.0.0.2") }
        try rig.waitUntil("edgeprint_client_connections_refused_total", is: 2)
        let refused = try get(from: "127.0.0.2")
        #expect(refused.status == 429 && refused["Retry-After"] == "1")
        #expect(refused.text.contains("clients.connections"))
        #expect(try get(from: "127.0.0.3").status == 200)
        let stats = try rig.admin("GET", "/stats").text
        #expect(stats.contains("\"client\":\"127.0.0.2\",\"connections\":"), "\(stats)")
        try rig.rewrite("clients: { connections: 30 }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        // Each loop applies the limit when it next reads its mailbox.
        #expect(try (0..<500).contains { _ in try get(from: "127.0.0.2").status == 200 })
        _ = idle
    }

    @Test func `clients that their proxy does not name share an account without limits, and the log warns once`() throws
    {
        let rig = try EndToEndRig(
            Self.trust + "\nclients: { rate: 1, connections: 1 }",
            script: ScriptedOrigin.pictures([:])
        )
        let open = try (0..<3).map { _ in try RawHTTPClient(port: rig.daemon.port) }
        for number in 0..<30 { #expect(try open[number % 3].get("/photos/\(number).png").status == 404) }
        try rig.daemon.waitForLog("requests do not name their clients")
        #expect(rig.daemon.logText.ranges(of: "requests do not name their clients").count == 1)
        // Named ones are limited.
        let named = try (0..<30).map {
            try open[0].get("/photos/n\($0).png", [("X-Forwarded-For", "198.51.100.7")]).status
        }
        #expect(named.contains(429))
        let shed = Double(named.count { $0 == 429 })
        try rig.waitUntil("edgeprint_shed_total{reason=\"client\"}", is: shed)
    }
}
