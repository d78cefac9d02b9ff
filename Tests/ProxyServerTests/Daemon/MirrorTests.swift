import LinuxSystem
import TestSupport
import Testing

/// Mirrors and resumed downloads, as the clients of a daemon see them.
@Suite(.timeLimit(.minutes(1))) struct MirrorTests {
    private static let picture = TestImages.gradient(width: 8, height: 6)

    @Test(arguments: [true, false])
    func `a mirror answers under the key of the origin`(_ isRaw: Bool) throws {
        let mirror = try ScriptedOrigin(
            ScriptedOrigin.pictures(["copy/a.png": Self.picture], fields: ["Cache-Control: max-age=600"])
        )
        let isDown = Signal(true)
        let rig = try EndToEndRig(
            "breaker: { failures: 0 }\nanswers: { server-timing: on }",
            source: ", mirrors: [\"\(mirror.url)/copy/\"]" + (isRaw ? ", raw: true" : ""),
            script: { request, connection in
                connection.respond(isDown.value ? "503 Service Unavailable" : "404 Not Found", text: "no")
            }
        )
        let first = try rig.get("/photos/a.png")
        #expect(first.status == 200 && first.body == Self.picture)
        #expect(first["Cache-Status"]?.contains("fwd=uri-miss") == true)
        if !isRaw { #expect(first["Server-Timing"]?.contains(";desc=\"mirror 1\"") == true) }
        #expect(try rig.get("/photos/a.png")["Cache-Status"]?.contains("hit") == true)
        #expect(rig.origin.requests == 1 && mirror.requests == 1)
        #expect(try rig.metric("edgeprint_transfer_mirrored_total") == 1)
        // What the mirror lacks is not missing, but unavailable; what the origin lacks is missing.
        #expect(try rig.get("/photos/b.png").status == (isRaw ? 503 : 502))
        isDown.update { $0 = false }
        #expect(try rig.get("/photos/c.png").status == 404)
        #expect(mirror.requests == 2)
        let purge = try RawHTTPClient(port: rig.daemon.admin).post("/purge", #"{"url":"/photos/a.png"}"#)
        #expect(purge.status == 200)
        #expect(try rig.get("/photos/a.png").status == 404)
    }

    @Test func `a stale image is served if the origin and its mirrors fail`() throws {
        let mirror = try ScriptedOrigin { $1.respond("404 Not Found", text: "no") }
        let rig = try EndToEndRig(
            source: ", mirrors: [\"\(mirror.url)/\"]",
            script: { request, connection in
                guard request.number == 1 else { return connection.respond("503 Service Unavailable", text: "no") }
                connection.respond("200 OK", ["Cache-Control: max-age=0"], body: Self.picture)
            }
        )
        #expect(try rig.get("/photos/a.png").status == 200)
        let stale = try rig.get("/photos/a.png")
        #expect(stale.status == 200 && stale["Cache-Status"]?.contains("detail=stale") == true)
        #expect(mirror.requests == 1)
    }

    /// A PNG of over 1 MB, which is announced at once.
    private static let large: [UInt8] = {
        var noise = SeededGenerator(seed: 1)
        let pixels = (0..<4 * 700 * 600).map { _ in UInt8.random(in: 0...255, using: &noise) }
        return TestImages.png(width: 700, height: 600, rgba: pixels)
    }()

    @Test(arguments: [true, false])
    func `clients that receive a body do not notice that it is resumed`(_ isRaw: Bool) throws {
        let gate = try ScriptedGate()
        let large = Self.large
        let rig = try EndToEndRig(
            source: ", limits: { retries: 1 }" + (isRaw ? ", raw: true" : ""),
            script: { request, connection in
                guard request.number == 1 else {
                    return connection.serve(large, to: request, ["Cache-Control: max-age=600"])
                }
                let head = ["ETag: \"v1\"", "Cache-Control: max-age=600"]
                connection.send(Array(ScriptedConnection.message("200 OK", head, body: large)[..<1_200_000]))
                gate.wait()
                connection.close()
            }
        )
        let clients = try (0..<4).map { _ in
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            try client.send("GET /photos/a.png HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.readHead()["Content-Length"] == String(large.count))
            #expect(try client.read(exactly: 1_000_000) == Array(large[..<1_000_000]))
            return client
        }
        gate.open()
        let rest = Array(large[1_000_000...])
        for client in clients { #expect(try client.read(exactly: rest.count) == rest) }
        try rig.waitForStores(1)
        let again = try rig.get("/photos/a.png")
        #expect(again.body == large && again["Cache-Status"]?.contains("hit") == true)
        #expect(rig.origin.requests == 2)
        #expect(try rig.metric("edgeprint_transfer_resumptions_total") == 1)
    }

    @Test(arguments: [true, false])
    func `clients that receive a body are cut off if the rest has changed`(_ isRaw: Bool) throws {
        let gate = try ScriptedGate()
        let large = Self.large
        let rig = try EndToEndRig(
            source: ", negative: off, limits: { retries: 1 }" + (isRaw ? ", raw: true" : ""),
            script: { request, connection in
                guard request.number == 1 else { return connection.serve(large, to: request, tag: "\"v2\"") }
                connection.send(
                    Array(ScriptedConnection.message("200 OK", ["ETag: \"v1\""], body: large)[..<1_200_000])
                )
                gate.wait()
                connection.close()
            }
        )
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET /photos/a.png HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try client.readHead()
        let begun = try client.read(exactly: 1_000_000)
        gate.open()
        let rest = try client.readToEnd()
        #expect(begun + rest == Array(large[..<(begun.count + rest.count)]) && begun.count + rest.count < large.count)
        #expect(try rig.metric("edgeprint_disk_stores_total") == 0)
        #expect(try rig.get("/photos/a.png").body == large)
        #expect(rig.origin.requests == 3)
    }
}
