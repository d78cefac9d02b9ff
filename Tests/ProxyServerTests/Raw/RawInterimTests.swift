import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Interim responses (1xx) through a raw source.
@Suite(.timeLimit(.minutes(1)))
struct RawInterimTests {
    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n"

    private func client(_ rig: EndToEndRig) throws -> RawHTTPClient {
        try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
    }

    @Test func `a 103 reaches the client before the origin's response, and no other client`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", raw: true") { _, connection in
            connection.send(Self.hints)
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], text: "one")
        }
        defer { gate.open() }
        let first = try client(rig)
        try first.send("GET /photos/a HTTP/1.1\r\nHost: x\r\n\r\n")
        let early = try first.readResponse()
        #expect(early.status == 103 && early["Link"] == "</x>; rel=preload")
        #expect(early["Via"]?.hasPrefix("1.1 edgeprint-") == true && early["Cache-Status"] == nil, "\(early.head)")
        // Collapsed with the first one, or a hit: it gets the final response only.
        let second = try client(rig)
        try second.send("GET /photos/a HTTP/1.1\r\nHost: x\r\n\r\n")
        gate.open()
        for client in [first, second] {
            let answer = try client.readResponse()
            #expect(answer.status == 200 && answer.text == "one" && answer["Link"] == nil)
        }
        let hit = try rig.get("/photos/a")
        #expect(hit.status == 200 && hit["Cache-Status"] == "edgeprint; hit; detail=memory" && hit["Link"] == nil)
        #expect(rig.origin.requests == 1)
    }

    @Test(arguments: [
        ["100 Continue"], ["102 Processing", "102 Processing"], ["103 Early Hints", "100 Continue", "103 Early Hints"],
    ])
    func `the response after interim ones is complete and stored without their fields`(interim: [String]) throws {
        let rig = try EndToEndRig(source: ", raw: true, methods: [POST]") { request, connection in
            for status in interim {
                connection.send(
                    "HTTP/1.1 \(status)\r\nLink: </x>; rel=preload\r\nCache-Control: no-store\r\nETag: \"i\"\r\n\r\n"
                )
            }
            let close = request.method == "POST" ? ["Connection: close"] : []
            connection.respond("200 OK", ["Cache-Control: max-age=60", "X: final"] + close, text: request.method)
            if !close.isEmpty { connection.close() }
        }
        let forwarded = interim.filter { !$0.hasPrefix("100") }
        func expectInterim(from client: RawHTTPClient) throws {
            for status in forwarded { #expect(try client.readResponse().head.hasPrefix("HTTP/1.1 \(status)\r\n")) }
        }
        for result in ["fwd=uri-miss", "hit; detail=memory"] {
            let client = try client(rig)
            try client.send("GET /photos/a HTTP/1.1\r\nHost: x\r\n\r\n")
            if result.hasPrefix("fwd") { try expectInterim(from: client) }
            let answer = try client.readResponse()
            #expect(answer.status == 200 && answer.text == "GET" && answer["X"] == "final")
            #expect(answer["Link"] == nil && answer["ETag"] == nil && answer["Cache-Control"] == "max-age=60")
            #expect(answer["Cache-Status"] == "edgeprint; " + result)
        }
        let client = try client(rig)
        try client.send("POST /photos/b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
        try expectInterim(from: client)
        let posted = try client.readResponse()
        #expect(posted.status == 200 && posted.text == "POST")
        #expect(rig.origin.requests == 2)
    }

    @Test func `hop-by-hop fields of an interim response are removed`() throws {
        let rig = try EndToEndRig(source: ", raw: true") { _, connection in
            connection.send(
                """
                HTTP/1.1 103 Early Hints\r
                Connection: close, X-Own\r
                X-Own: 1\r
                Keep-Alive: timeout=5\r
                Content-Length: 1\r
                Via: 1.1 upstream\r
                Date: Tue, 15 Nov 1994 08:12:31 GMT\r
                X: y\r
                \r

                """
            )
            connection.respond(text: "one")
        }
        let client = try client(rig)
        try client.send("GET /photos/a HTTP/1.1\r\nHost: x\r\n\r\n")
        let early = try client.readResponse()
        #expect(early.status == 103 && early["X"] == "y" && early["Date"] == "Tue, 15 Nov 1994 08:12:31 GMT")
        for name in ["Connection", "X-Own", "Keep-Alive", "Content-Length"] { #expect(early[name] == nil, "\(name)") }
        let via = early.values(of: "Via")
        #expect(via.first == "1.1 upstream" && via.count == 2 && via[1].hasPrefix("1.1 edgeprint-"), "\(via)")
        #expect(try client.readResponse().text == "one")
        #expect(try client.get("/photos/b").status == 103)
    }

    @Test func `a client of HTTP 1.0 receives the final response only`() throws {
        let rig = try EndToEndRig(source: ", raw: true") { _, connection in
            connection.send(Self.hints)
            connection.respond(text: "one")
        }
        let client = try client(rig)
        try client.send("GET /photos/a HTTP/1.0\r\nHost: x\r\n\r\n")
        let answer = try client.readResponse()
        #expect(answer.status == 200 && answer.text == "one")
    }

    @Test func `a flood of interim responses is bounded`() throws {
        let rig = try EndToEndRig(source: ", raw: true") { request, connection in
            let count = request.target == "/many" ? 1000 : 100_000
            for _ in 0..<count { guard connection.send(Self.hints) else { return connection.close() } }
            connection.respond(text: "one")
        }
        for (target, status) in [("many", 200), ("endless", 502)] {
            let client = try client(rig)
            try client.send("GET /photos/\(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in 0..<16 { #expect(try client.readResponse().status == 103) }
            #expect(try client.readResponse().status == status)
        }
    }

    @Test func `an image source forwards none`() throws {
        let rig = try EndToEndRig { _, connection in
            connection.send(Self.hints)
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: TestImages.gradient(width: 4, height: 2))
        }
        let answer = try rig.get("/photos/a?w=2")
        #expect(answer.status == 200 && answer["Link"] == nil)
    }
}
