import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CacheWayTests {
    let picture = TestImages.gradient(width: 320, height: 240)

    @Test func `miss, memory, disk after kill -9, and another width of the stored original`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        let first = try rig.get("/photos/a.png?w=100&format=png")
        #expect(first.status == 200)
        #expect(first["Cache-Status"] == "edgeprint; fwd=uri-miss")
        #expect(PictureHeader.size(ofPNG: first.body) == [100, 75])
        let second = try rig.get("/photos/a.png?w=100&format=png")
        #expect(second["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(second.body == first.body)
        #expect(try rig.cacheStatus("/photos/a.png?w=50&format=png") == "edgeprint; hit; detail=original")
        #expect(rig.origin.requests == 1)
        try rig.waitForStores(3)
        try rig.restartAfterKill()
        let third = try rig.get("/photos/a.png?w=100&format=png")
        #expect(third["Cache-Status"] == "edgeprint; hit; detail=disk")
        #expect(third.body == first.body)
        #expect(try rig.cacheStatus("/photos/a.png?w=100&format=png") == "edgeprint; hit; detail=memory")
        #expect(try rig.cacheStatus("/photos/a.png?w=60&format=png") == "edgeprint; hit; detail=original")
        #expect(rig.origin.requests == 1)
    }

    @Test func `the bare original is the origin's bytes, from each tier`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        for expected in ["edgeprint; fwd=uri-miss", "edgeprint; hit; detail=memory"] {
            let answer = try rig.get("/photos/a.png")
            #expect(answer["Cache-Status"] == expected)
            #expect(answer.body == picture)
            #expect(answer["Content-Type"] == "image/png")
        }
        try rig.waitForStores(1)
        try rig.restartAfterKill()
        let answer = try rig.get("/photos/a.png")
        #expect(answer["Cache-Status"] == "edgeprint; hit; detail=disk")
        #expect(answer.body == picture)
    }

    @Test func `a stale original is revalidated and its variants are kept`() throws {
        let rig = try EndToEndRig { [picture] request, connection in
            if request.field("If-None-Match") == "\"v1\"" {
                connection.respond("304 Not Modified", ["ETag: \"v1\"", "Cache-Control: max-age=0"])
            } else {
                connection.respond("200 OK", ["ETag: \"v1\"", "Cache-Control: max-age=0"], body: picture)
            }
        }
        #expect(try rig.cacheStatus("/photos/a.png?w=100") == "edgeprint; fwd=uri-miss")
        #expect(try rig.cacheStatus("/photos/a.png?w=100") == "edgeprint; fwd=stale; fwd-status=304")
        #expect(rig.origin.requests == 2)
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
    }

    @Test func `CDN-Cache-Control applies to this cache and is not sent to browsers`() throws {
        for (words, told) in [
            ("Cache-Control: max-age=60", "max-age=60"), ("X-Other: 1", "public, max-age=3600"),
        ] {
            let rig = try EndToEndRig { [picture] _, connection in
                connection.respond("200 OK", [words, "CDN-Cache-Control: max-age=86400"], body: picture)
            }
            #expect(try rig.get("/photos/a.png?w=100&format=png")["Cache-Control"] == told)
            try rig.waitForStores(2)
            try rig.restartAfterKill()
            let stored = try rig.get("/photos/a.png?w=100&format=png")
            #expect(stored["Cache-Status"] == "edgeprint; hit; detail=disk")
            #expect(stored["Cache-Control"] == told)
        }
        // Stored by CDN-Cache-Control, regardless of Cache-Control.
        let rig = try EndToEndRig { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: no-store", "CDN-Cache-Control: max-age=60"], body: picture)
        }
        _ = try rig.get("/photos/a.png?w=100")
        let hit = try rig.get("/photos/a.png?w=100")
        #expect(hit["Cache-Status"] == "edgeprint; hit; detail=memory" && hit["Cache-Control"] == "no-store")
    }

    @Test(arguments: ["", ","])
    func `a Cache-Control without directives counts as none`(control: String) throws {
        let rig = try EndToEndRig(source: ", ttl: 2h") { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: \(control)"], body: picture)
        }
        for target in ["/photos/a.png?w=100&format=png", "/photos/a.png"] {
            #expect(try rig.get(target)["Cache-Control"]?.hasPrefix("public, max-age=") == true)
        }
    }

    @Test func `200 clients on one cold URL make one upstream request and one transform`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { [picture] _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
        // All requests are sent before the origin responds.
        let clients = try (0..<200).map { _ in try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 30_000) }
        for client in clients { try client.send("GET /photos/a.png?w=100&format=png HTTP/1.1\r\nHost: a\r\n\r\n") }
        await rig.origin.arrival(of: 1)
        gate.open()
        let answers = try clients.map { try $0.readResponse() }
        #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
        let statuses = Set(answers.compactMap { $0["Cache-Status"] })
        #expect(statuses.contains("edgeprint; fwd=uri-miss"))
        #expect(answers.filter { $0["Cache-Status"] == "edgeprint; fwd=uri-miss" }.count == 1)
        #expect(rig.origin.requests == 1)
        #expect(try rig.metric("edgeprint_transforms_total") == 1)
    }

    @Test func `eight widths at once, cold, make one upstream request`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { [picture] _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
        let clients = try (1...8).map { width in
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 30_000)
            try client.send("GET /photos/a.png?w=\(width * 20)&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        await rig.origin.arrival(of: 1)
        gate.open()
        let sizes = try clients.map { PictureHeader.size(ofPNG: try $0.readResponse().body)?.first }
        #expect(sizes == (1...8).map { $0 * 20 })
        #expect(rig.origin.requests == 1)
    }

    @Test func `an origin's failure is shared by all waiting requests`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { _, connection in
            gate.wait()
            connection.respond("500 Internal Server Error", text: "no")
        }
        let clients = try (0..<50).map { _ in try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 30_000) }
        for client in clients { try client.send("GET /photos/a.png?w=100 HTTP/1.1\r\nHost: a\r\n\r\n") }
        await rig.origin.arrival(of: 1)
        // All have joined: one variant is in flight, and 50 requests wait for it.
        try rig.waitUntil("edgeprint_requests_in_flight", is: 50)
        gate.open()
        #expect(try clients.allSatisfy { try $0.readResponse().status == 502 })
        #expect(rig.origin.requests == 1)
    }
}

extension EndToEndRig {
    /// Waits until the disk store has stored a number of objects.
    func waitForStores(_ count: Double) throws {
        try waitUntil("edgeprint_disk_stores_total", is: count)
    }

    /// Polls `/metrics` until a value is reached.
    func waitUntil(_ name: String, is value: Double) throws {
        try waitWhile(metric(name) != value)
    }
}
