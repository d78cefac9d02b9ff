import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// Clients that leave before their response is complete: by FIN, by RST, alone or among a thousand.
@Suite(.timeLimit(.minutes(3)))
struct DepartureTests {
    private static let picture = TestImages.gradient(width: 300, height: 200)

    /// An origin that sends half of a picture, and the rest when the gate opens; other paths at once.
    private static func slow(_ gate: ScriptedGate) -> ScriptedOrigin.Script {
        { request, connection in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: \(picture.count)\r\n\r\n"
            connection.send(Array(head.utf8) + picture[..<(picture.count / 2)])
            if request.target.contains("slow") { gate.wait() }
            connection.send(Array(picture[(picture.count / 2)...]))
        }
    }

    private func client(_ rig: EndToEndRig, _ target: String) throws -> RawHTTPClient {
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 40_000)
        try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        return client
    }

    @Test func `by default a client that closes its sending side is answered`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(script: Self.slow(gate))
        let client = try client(rig, "/photos/slow.png?w=10&format=png")
        client.shutdownWrite()
        await rig.origin.arrival(of: 1)
        gate.open()
        #expect(try client.readResponse().status == 200)
        #expect(try client.isAtEnd())
    }

    @Test func `with half-close: gone it is detached, and the last one cancels the download`() async throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let rig = try EndToEndRig("clients: { half-close: gone }", script: Self.slow(gate))
        let clients = try (0..<2).map { _ in try client(rig, "/photos/slow.png?w=10&format=png") }
        await rig.origin.arrival(of: 1)
        clients[0].shutdownWrite()
        #expect(try clients[0].isAtEnd())
        #expect(try rig.metric("edgeprint_originals_under_way") == 1)
        clients[1].shutdownWrite()
        #expect(try clients[1].isAtEnd())
        try rig.waitUntil("edgeprint_originals_under_way", is: 0)
        try rig.waitUntil("edgeprint_transfers_active", is: 0)
        // One that remains is served.
        let (leaver, stayer) = (try client(rig, "/photos/slow2.png"), try client(rig, "/photos/slow2.png"))
        await rig.origin.arrival(of: 2)
        leaver.shutdownWrite()
        gate.open()
        #expect(try stayer.readResponse().body == Self.picture)
    }

    @Test func `a reload changes what closing the sending side means`() async throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let rig = try EndToEndRig(script: Self.slow(gate))
        try rig.rewrite("clients: { half-close: gone }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        let client = try client(rig, "/photos/slow.png?w=10")
        await rig.origin.arrival(of: 1)
        client.shutdownWrite()
        #expect(try client.isAtEnd())
    }

    @Test func `a half-closed client gives way when another waits for a connection to the origin`() async throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let rig = try EndToEndRig(source: ", connections: 1", script: Self.slow(gate))
        let gone = try client(rig, "/photos/slow.png?w=10")
        await rig.origin.arrival(of: 1)
        gone.shutdownWrite()
        #expect(try client(rig, "/photos/quick.png").readResponse().body == Self.picture)
        #expect(try gone.isAtEnd())
    }

    @Test(arguments: ["/photos/slow.png", "/photos/slow.png?w=30&format=png"])
    func `of 1,000 clients of one slow original the first leaves half-way, and all others are served`(
        _ target: String
    ) async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig("clients: { connections: 2000 }", script: Self.slow(gate))
        let isBare = !target.contains("?")
        let expected = isBare ? Self.picture : try rig.get("/photos/quick.png?w=30&format=png").body
        if isBare { #expect(try rig.get("/photos/quick.png").body == expected) }
        let before = rig.daemon.openDescriptors
        let requests = rig.origin.requests
        let leader = try client(rig, target)
        await rig.origin.arrival(of: requests + 1)
        // The bare original is sent while it arrives.
        if isBare { #expect(try leader.readHead().status == 200) }
        let others = try (1..<1_000).map { _ in try client(rig, target) }
        if isBare { for client in others { #expect(try client.readHead().status == 200) } }
        try rig.waitUntil("edgeprint_connections", is: 1_000)
        leader.reset()
        try rig.waitUntil("edgeprint_connections", is: 999)
        gate.open()
        for client in others {
            let body = isBare ? try client.read(exactly: expected.count) : try client.readResponse().body
            #expect(body == expected)
        }
        #expect(rig.origin.requests == requests + 1)
        for client in others { client.close() }
        try rig.waitUntil("edgeprint_connections", is: 0)
        for name in ["edgeprint_variants_under_way", "edgeprint_originals_under_way", "edgeprint_transfers_active"] {
            try rig.waitUntil(name, is: 0)
        }
        // At most the new content's own files are open, as for the first picture.
        try waitWhile(rig.daemon.openDescriptors > before + 2)
    }
}
