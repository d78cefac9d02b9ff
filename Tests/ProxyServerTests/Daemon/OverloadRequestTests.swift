import TestSupport
import Testing

@testable import ProxyServer

/// Clients that share the workers of a daemon, as a trusted proxy tells them apart.
@Suite(.timeLimit(.minutes(1)))
struct OverloadRequestTests {
    /// An SVG of less than 300 bytes that takes many seconds to render at 3000 pixels.
    private static let bomb = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><filter id="f" x="0" y="0" width="1" height="1">\
        <feTurbulence baseFrequency=".7" numOctaves="60"/></filter><rect width="30" height="30" filter="url(#f)"/></svg>
        """.utf8
    )

    private func rig(_ extra: String) throws -> EndToEndRig {
        try EndToEndRig("proxies: { trust: [127.0.0.1] }\n\(extra)") { request, connection in
            let body = request.target.contains("bomb") ? Self.bomb : TestImages.gradient(width: 60, height: 40)
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: body)
        }
    }

    /// A request of a client that is not read.
    private func send(_ target: String, from client: String, to rig: EndToEndRig) throws -> RawHTTPClient {
        let connection = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 40_000)
        try connection.send("GET \(target) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\n\r\n")
        return connection
    }

    @Test func `one client's slow images on six connections leave a worker to others`() throws {
        let rig = try rig("workers: { count: 3 }")
        let bombs = try (0..<6).map { index in
            try send("/photos/bomb\(index).svg?w=3000&enlarge=1&format=png", from: "203.0.113.1", to: rig)
        }
        try rig.waitUntil("edgeprint_workers_busy", is: 2)
        for width in 10..<15 {
            let answer = try rig.get("/photos/small.png?w=\(width)", [("X-Forwarded-For", "203.0.113.2")])
            #expect(answer.status == 200, "\(answer.text)")
        }
        // Another address of the slow client's network has a turn of its own, and its worker is the last one as well.
        let other = try rig.get("/photos/small.png?w=20", [("X-Forwarded-For", "203.0.113.9")])
        #expect(other.status == 200)
        // The last small image's worker has nothing to do soon after its answer.
        try rig.waitUntil("edgeprint_workers_busy", is: 2)
        #expect(try rig.metric("edgeprint_transform_overruns_total") == 0)
        withExtendedLifetime(bombs) {}
    }

    @Test func `an image that waits among another client's is made in the turn of a client that asks for it, too`()
        throws
    {
        let rig = try rig("workers: { count: 2 }\noverload: { queue-time: 20s }")
        let bombs = try (0..<3).map { index in
            try send("/photos/bomb\(index).svg?w=3000&enlarge=1&format=png", from: "203.0.113.1", to: rig)
        }
        // One client has one of two workers at most.
        try rig.waitUntil("edgeprint_transform_queue", is: 2)
        let waiting = try send("/photos/small.png?w=33", from: "203.0.113.1", to: rig)
        try rig.waitUntil("edgeprint_transform_queue", is: 3)
        let answer = try rig.get("/photos/small.png?w=33", [("X-Forwarded-For", "203.0.113.2")])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["Cache-Status"]?.contains("collapsed") == true, "\(answer["Cache-Status"] ?? "")")
        #expect(try waiting.readResponse().status == 200)
        // None of the slow ones has ended.
        let queue = try #require(try rig.metric("edgeprint_transform_queue"))
        #expect(queue >= 2, "the slow ones wait for their own client's worker")
        withExtendedLifetime(bombs) {}
    }

    @Test(arguments: ["", ", raw: true"])
    func `a download that waits among another client's starts in the turn of a client that asks for it, too`(
        source: String
    ) async throws {
        let gate = try ScriptedGate()
        defer { gate.open() }
        let rig = try EndToEndRig(
            "proxies: { trust: [127.0.0.1] }\noverload: { queue-time: 20s }",
            source: ", connections: 2" + source
        ) {
            request,
            connection in
            if !request.target.contains("wanted") { gate.wait() }
            let body = TestImages.gradient(width: 60, height: 40)
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: body)
        }
        // One client has one of two connections at most.
        var flood = [try send("/photos/0.png", from: "203.0.113.1", to: rig)]
        await rig.origin.arrival(of: 1)
        for name in ["1", "2", "wanted", "3"] {
            flood.append(try send("/photos/\(name).png", from: "203.0.113.1", to: rig))
        }
        try rig.waitUntil("edgeprint_transfers_waiting", is: 4)
        let answer = try rig.get("/photos/wanted.png", [("X-Forwarded-For", "203.0.113.2")])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try flood[3].readResponse().status == 200)
        #expect(rig.origin.requests == 2)
        #expect(try rig.metric("edgeprint_transfers_waiting") == 3)
    }

    @Test func `clients that leave by FIN or RST free their worker, and what it did after that is counted`() throws {
        let rig = try rig("workers: { count: 1 }\nclients: { half-close: gone }")
        for isReset in [false, true] {
            let bomb = try send("/photos/bomb.svg?w=3000&enlarge=1&format=png", from: "203.0.113.1", to: rig)
            try rig.waitUntil("edgeprint_workers_busy", is: 1)
            if isReset { bomb.reset() } else { bomb.shutdownWrite() }
            try rig.waitUntil("edgeprint_variants_under_way", is: 0)
            #expect(try rig.get("/photos/small.png?w=\(isReset ? 10 : 11)").status == 200)
            try rig.waitUntil("edgeprint_workers_busy", is: 0)
        }
        #expect(try rig.metric("edgeprint_transforms_total") == 2, "the small ones: nobody waited for the others' ends")
        let busy = try #require(try rig.metric("edgeprint_transform_busy_seconds_total"))
        let abandoned = try #require(try rig.metric("edgeprint_transform_abandoned_seconds_total"))
        #expect(abandoned > 0 && abandoned < busy, "\(abandoned) of \(busy)")
    }

    @Test func `a half-closed client's slow image gives way when another client waits for a worker`() throws {
        let rig = try rig("workers: { count: 1 }\noverload: { queue-time: 20s }")
        let bomb = try send("/photos/bomb.svg?w=3000&enlarge=1&format=png", from: "203.0.113.1", to: rig)
        try rig.waitUntil("edgeprint_workers_busy", is: 1)
        bomb.shutdownWrite()
        // Its client may still be there. The original's own bytes need no worker.
        let other = ("X-Forwarded-For", "203.0.113.2")
        for _ in 0..<20 { #expect(try rig.get("/photos/small.png", [other]).status == 200) }
        #expect(try rig.metric("edgeprint_variants_under_way") == 1)
        #expect(try rig.get("/photos/small.png?w=10", [other]).status == 200)
        #expect(try bomb.isAtEnd())
        try rig.waitUntil("edgeprint_variants_under_way", is: 0)
    }

    @Test func `a request whose turn would come too late is 503, and only this client's`() throws {
        let rig = try rig("workers: { count: 2 }\noverload: { queue-time: 2s }")
        let slow = ("X-Forwarded-For", "203.0.113.1")
        #expect(try rig.get("/photos/small.png?w=10", [slow]).status == 200)
        // It is expected to take longer than timeouts.transform permits, and takes that time.
        let long = try send("/photos/small.png?w=3000&enlarge=1&format=avif&effort=8", from: slow.1, to: rig)
        try rig.waitUntil("edgeprint_workers_busy", is: 1)
        let refused = try rig.get("/photos/small.png?w=11", [slow])
        #expect(refused.status == 503 && refused["Retry-After"] == "1", "\(refused.text)")
        #expect(refused.text.contains("requests wait for 2000 ms at most"), "\(refused.text)")
        #expect(refused["Cache-Control"] == "no-store")
        #expect(try rig.metric("edgeprint_transform_refusals_total") == 1)
        try rig.waitUntil("edgeprint_shed_total{reason=\"overload\"}", is: 1)
        // Nothing is downloaded in vain. The original's own bytes need no worker.
        let requests = rig.origin.requests
        #expect(try rig.get("/photos/other.png?w=11", [slow]).status == 503)
        #expect(rig.origin.requests == requests)
        #expect(try rig.get("/photos/other.png", [slow]).status == 200)
        // What is cached is served, and another client's turn is now.
        #expect(try rig.get("/photos/small.png?w=10", [slow]).status == 200)
        #expect(try rig.get("/photos/small.png?w=11", [("X-Forwarded-For", "203.0.113.2")]).status == 200)
        withExtendedLifetime(long) {}
    }
}
