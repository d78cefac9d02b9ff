import Glibc
import TestSupport
import Testing

@testable import ProxyServer

/// Suspended sources, circuit breakers and the queue of transfers, as clients and operators see them.
@Suite(.timeLimit(.minutes(1)))
struct OriginControlTests {
    private let picture = TestImages.gradient(width: 64, height: 48)
    /// Stale by more than `stale-if-error` when it arrives.
    private let stale = ["Cache-Control: max-age=60", "Age: 100000", "ETag: \"e\""]

    private func admin(_ rig: EndToEndRig, _ method: String, _ path: String) throws -> RawHTTPResponse {
        try RawHTTPClient(port: rig.daemon.admin).request(method, path)
    }

    @Test func `a suspended source serves what is stored, however stale, and 503 for the rest`() throws {
        let rig = try EndToEndRig { [picture, stale] request, connection in
            let strict = request.target.contains("strict")
            let fields = strict ? stale.map { $0.replacing("max-age=60", with: "max-age=60, must-revalidate") } : stale
            connection.respond("200 OK", fields, body: picture)
        }
        for path in ["/photos/a.png", "/photos/a.png?w=20&format=png", "/photos/strict.png?w=20&format=png"] {
            #expect(try rig.get(path).status == 200)
        }
        let before = rig.origin.requests
        let suspended = try admin(rig, "POST", "/sources/photos/suspend")
        #expect(suspended.status == 200)
        #expect(suspended.text == "{\"source\":\"photos\",\"suspended\":true,\"offline\":false}\n")
        for path in ["/photos/a.png?w=20&format=png", "/photos/a.png", "/photos/a.png?w=21&format=png"] {
            let answer = try rig.get(path)
            #expect(answer.status == 200, "\(path) \(answer.text)")
            #expect(answer["Cache-Status"] == "edgeprint; hit; detail=stale", "\(path)")
        }
        for path in ["/photos/b.png", "/photos/strict.png?w=20&format=png"] {
            let answer = try rig.get(path)
            #expect(answer.status == 503 && answer["Retry-After"] == "30", "\(path)")
            #expect(answer["Cache-Status"] == "edgeprint; detail=suspended", "\(path)")
        }
        #expect(rig.origin.requests == before)
        #expect(try rig.metric("edgeprint_sources_suspended") == 1)
        #expect(try admin(rig, "GET", "/stats").text.contains("\"suspended\":[\"photos\"]"))
        #expect(try admin(rig, "POST", "/sources/photos/resume").text.contains("\"suspended\":false"))
        #expect(try rig.get("/photos/b.png").status == 200)
        #expect(try rig.get("/photos/strict.png?w=20&format=png").status == 200)
        #expect(rig.origin.requests > before)
        #expect(rig.daemon.logText.contains("source suspended") && rig.daemon.logText.contains("source resumed"))
    }

    @Test func `a raw source is suspended likewise, and a reload keeps it so`() throws {
        let rig = try EndToEndRig(source: ", raw: true") { [stale] _, connection in
            connection.respond("200 OK", stale, text: "text")
        }
        #expect(try rig.get("/photos/a").text == "text")
        #expect(try admin(rig, "POST", "/sources/photos/suspend").status == 200)
        try rig.rewrite("limits: { queue: 100 }", source: ", raw: true")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.get("/photos/a")["Cache-Status"] == "edgeprint; hit; detail=stale")
        #expect(try rig.get("/photos/b").status == 503)
        #expect(rig.origin.requests == 1)
    }

    @Test func `says which source or what order it does not know`() throws {
        let rig = try EndToEndRig { _, connection in connection.respond(text: "x") }
        let unknown = try admin(rig, "POST", "/sources/photo/suspend")
        #expect(unknown.status == 404 && unknown.text.contains("did you mean photos?\""), "\(unknown.text)")
        let order = try admin(rig, "POST", "/sources/photos/suspnd")
        #expect(order.status == 404 && order.text.contains("did you mean suspend?\""), "\(order.text)")
        #expect(try admin(rig, "POST", "/sources/zebra/suspend").text.contains("There is no source 'zebra'.\""))
        #expect(try admin(rig, "POST", "/sources/photos").status == 404)
        #expect(try admin(rig, "GET", "/sources/photos/suspend").status == 405)
        #expect(try admin(rig, "POST", "/sources/fetch/suspend").status == 200)
    }

    @Test func `an open breaker answers 503, is told in metrics and statistics, and is closed by hand`() throws {
        let rig = try EndToEndRig("breaker: { failures: 2, pause: 1h, pause-max: 1h }") {
            [picture] request, connection in
            if request.target.hasPrefix("/good") {
                connection.respond(
                    "200 OK",
                    ["Cache-Control: max-age=0, stale-if-error=600", "ETag: \"e\""],
                    body: picture
                )
            } else {
                connection.respond("503 Service Unavailable", text: "no")
            }
        }
        #expect(try rig.get("/photos/good.png").status == 200)
        for name in ["1", "2"] { #expect(try rig.get("/photos/\(name).png").status == 502) }
        let refused = try rig.get("/photos/3.png")
        #expect(refused.status == 503 && refused["Retry-After"] == "3600", "\(refused.text)")
        #expect(refused["Cache-Status"] == "edgeprint; detail=breaker-open")
        #expect(rig.origin.requests == 3)
        #expect(try rig.get("/photos/good.png")["Cache-Status"] == "edgeprint; hit; detail=stale")
        #expect(try rig.metric("edgeprint_breakers{state=\"open\"}") == 1)
        #expect(try rig.metric("edgeprint_breaker_openings_total") == 1)
        let hosts =
            "\"hosts\":[{\"source\":\"photos\",\"origin\":\"\(rig.origin.url)\",\"state\":\"open\",\"seconds\":3600}]"
        let stats = try admin(rig, "GET", "/stats").text
        #expect(stats.contains(hosts), "\(stats)")
        #expect(try admin(rig, "DELETE", "/negative?source=photos").status == 200)
        #expect(try rig.get("/photos/4.png").status == 502)
        #expect(rig.origin.requests == 4)
    }

    @Test func `a reload changes when breakers open, which is logged, as is the recovery`() throws {
        let rig = try EndToEndRig("breaker: { failures: 0 }") { [picture] request, connection in
            if request.target.hasPrefix("/good") {
                connection.respond(body: picture)
            } else {
                connection.respond("503 Service Unavailable", text: "no")
            }
        }
        for name in 0..<6 { #expect(try rig.get("/photos/\(name).png").status == 502) }
        try rig.rewrite("breaker: { failures: 1, pause: 1ms }")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded")
        #expect(try rig.get("/photos/next.png").status == 502)
        try rig.daemon.waitForLog("the origin keeps failing and is left alone for a while")
        // The pause is over at some time.
        try waitWhile(rig.get("/photos/good.png").status == 503)
        try rig.daemon.waitForLog("the origin has recovered")
        #expect(try rig.metric("edgeprint_breaker_openings_total") == 1)
    }

    @Test func `a client's priority decides which download starts first`() async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", connections: 1, raw: true") { request, connection in
            if request.number == 1 { gate.wait() }
            connection.respond("200 OK", text: request.target)
        }
        let requests = [
            ("/first", ""), ("/prefetch", "Sec-Purpose: prefetch\r\n"), ("/plain", ""),
            ("/urgent", "Priority: u=1, i\r\n"),
        ]
        var clients: [RawHTTPClient] = []
        for (index, (path, field)) in requests.enumerated() {
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            try client.send("GET /photos\(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            if index == 0 {
                await rig.origin.arrival(of: 1)
            } else {
                try rig.waitUntil("edgeprint_transfers_waiting", is: Double(index))
            }
            clients.append(client)
        }
        gate.open()
        for client in clients { #expect(try client.readResponse().status == 200) }
        let order = rig.origin.heads.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(order == ["/first", "/urgent", "/plain", "/prefetch"])
    }

    @Test(arguments: [", raw: true", ""])
    func `a more urgent request raises a download that already waits`(source: String) async throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", connections: 1" + source) { [picture] request, connection in
            if request.number == 1 { gate.wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
        let requests = [
            ("/first", ""), ("/prefetch", "Sec-Purpose: prefetch\r\n"), ("/plain", ""), ("/last", "Priority: u=7\r\n"),
            ("/prefetch", "Priority: u=1\r\n"),
        ]
        var clients: [RawHTTPClient] = []
        for (index, (path, field)) in requests.enumerated() {
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
            try client.send("GET /photos\(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            if index == 0 {
                await rig.origin.arrival(of: 1)
            } else if index < 4 {
                try rig.waitUntil("edgeprint_transfers_waiting", is: Double(index))
            }
            clients.append(client)
        }
        try rig.waitUntil("edgeprint_requests_in_flight", is: 5)
        // Each loop has handled the last request before it handles these.
        for _ in 0..<16 { #expect(try rig.get("/robots.txt").status == 200) }
        gate.open()
        for client in clients { #expect(try client.readResponse().status == 200) }
        let order = rig.origin.heads.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(order == ["/first", "/prefetch", "/plain", "/last"])
    }

    @Test func `a source without verification is warned of at the start, and counted`() throws {
        let rig = try EndToEndRig(sources: "\n  odd: { url: \"https://127.0.0.1:9/\", tls: { verify: false } }") {
            _,
            connection in connection.respond(text: "x")
        }
        try rig.daemon.waitForLog("NOT verified (tls.verify: false)")
        #expect(try rig.metric("edgeprint_sources_unverified") == 1)
        let doctor = try CommandRun(["doctor", "--config", rig.daemon.configurationFile]).output
        #expect(doctor.contains("NOT verified (tls.verify: false)"), "\(doctor)")
    }

    @Test func `explain says how a source is reached`() throws {
        let rig = try EndToEndRig(
            sources:
                "\n  far: { url: \"https://far.example/\", proxy: \"http://edge:hunter2@127.0.0.1:3128\", interface: lo }"
        ) { _, connection in connection.respond(text: "x") }
        let told = try CommandRun(["explain", "/far/a.png", "--config", rig.daemon.configurationFile]).output
        #expect(told.contains("resolved by the proxy, and not checked here"), "\(told)")
        #expect(told.contains("http://edge:[redacted]@127.0.0.1:3128") && !told.contains("hunter2"), "\(told)")
        #expect(told.contains("interface"), "\(told)")
    }
}
