import LinuxSystem
import TestSupport
import Testing

/// `slow-miss: placeholder`: a placeholder now, and the image later.
@Suite(.timeLimit(.minutes(2)))
struct SlowMissTests {
    private static let target = "/photos/a.png?w=30&h=20&fit=cover&format=png"
    private static let source = ", slow-miss: placeholder, slow-miss-after: 1ms, slow-miss-ttl: 7s"
    private static let status = "edgeprint; fwd=uri-miss; detail=placeholder"

    /// An origin that answers once the gate is open.
    private static func origin(
        _ gate: ScriptedGate,
        _ fields: [String] = ["Cache-Control: max-age=600"]
    ) -> ScriptedOrigin.Script {
        { _, connection in
            gate.wait()
            connection.respond("200 OK", fields, body: TestImages.gradient(width: 90, height: 60))
        }
    }

    /// Requests until the response is no placeholder.
    private func image(_ rig: EndToEndRig, _ target: String = target) throws -> RawHTTPResponse {
        try waitFor {
            let answer = try rig.get(target)
            return answer["Cache-Status"] == Self.status ? nil : answer
        }
    }

    @Test func `a slow image is a placeholder of its size first, and is made behind it`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: Self.source, script: Self.origin(gate))
        let first = try rig.get(Self.target)
        #expect(first.status == 200 && first["Cache-Status"] == Self.status, "\(first.description)")
        #expect(first["Content-Type"] == "image/png" && first["Cache-Control"] == "public, max-age=7")
        #expect(first["ETag"] == nil && PictureHeader.size(ofPNG: first.body) == [30, 20])
        #expect(first["Access-Control-Allow-Origin"] == "*" && first["X-Content-Type-Options"] == "nosniff")
        // The client has left, but the work goes on, and others share it.
        for _ in 0..<4 { #expect(try rig.get(Self.target)["Cache-Status"] == Self.status) }
        #expect(try rig.metric("edgeprint_slow_misses_under_way") == 1)
        gate.open()
        let later = try image(rig)
        #expect(later.status == 200 && later["ETag"] != nil && later["Cache-Control"] == "max-age=600")
        #expect(PictureHeader.size(ofPNG: later.body) == [30, 20] && later.body != first.body)
        #expect(rig.origin.requests == 1)
        try rig.waitUntil("edgeprint_slow_misses_under_way", is: 0)
        let metrics = try RawHTTPClient(port: rig.daemon.admin).get("/metrics").text
        #expect(!metrics.contains("edgeprint_requests_total{result=\"placeholder\"} 0\n"))
    }

    @Test func `an image that is there in time is no placeholder, nor are descriptions and originals`() throws {
        let gate = try ScriptedGate()
        let patient = ", slow-miss: placeholder, slow-miss-after: 1m"
        let rig = try EndToEndRig(source: patient, script: Self.origin(gate))
        gate.open()
        #expect(try rig.get(Self.target)["Cache-Status"] == "edgeprint; fwd=uri-miss")
        let impatient = try EndToEndRig(source: Self.source, script: Self.origin(gate))
        for target in ["/photos/a.png?format=json", "/photos/a.png?format=thumbhash", "/photos/a.png"] {
            let answer = try impatient.get(target)
            #expect(answer.status == 200 && answer["Cache-Status"] != Self.status, "\(target)")
        }
    }

    @Test func `what is saved as a file is the image, which its client waits for`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: Self.source, script: Self.origin(gate))
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET \(Self.target)&download=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try rig.waitUntil("edgeprint_variants_under_way", is: 1)
        #expect(try rig.get(Self.target)["Cache-Status"] == Self.status)
        gate.open()
        let answer = try client.readResponse()
        #expect(answer.status == 200 && answer["ETag"] != nil, "\(answer.description)")
        #expect(answer["Content-Disposition"]?.hasPrefix("attachment") == true)
        try rig.waitUntil("edgeprint_slow_misses_under_way", is: 0)
    }

    @Test func `what is on disk is no placeholder, even with slow-miss-after 0`() throws {
        let gate = try ScriptedGate()
        gate.open()
        let source = ", slow-miss: placeholder, slow-miss-after: 0"
        let rig = try EndToEndRig(source: source, script: Self.origin(gate))
        #expect(try rig.get(Self.target)["Cache-Status"] == Self.status)
        _ = try image(rig)
        try rig.waitForStores(2)
        for _ in 0..<3 {
            try rig.restartAfterKill(source: source)
            #expect(try rig.get(Self.target)["Cache-Status"] == "edgeprint; hit; detail=disk")
        }
    }

    @Test func `a fallback that answers first leaves nothing under way`() throws {
        let (failed, gate) = (try ScriptedGate(), try ScriptedGate())
        let source =
            ", slow-miss: placeholder, slow-miss-after: 400ms, fallback: { image: /photos/fallback.png?format=png }"
        let rig = try EndToEndRig(source: source) { request, connection in
            guard request.target.contains("fallback") else {
                failed.open()
                return connection.respond("500 Error", text: "no")
            }
            gate.wait()
            connection.respond("200 OK", body: TestImages.gradient(width: 9, height: 6))
        }
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET \(Self.target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        failed.wait()
        // The placeholder is decided on while the fallback image is still loading.
        let answer = try client.readResponse()
        gate.open()
        #expect(answer["Cache-Status"] == Self.status, "\(answer.description)")
        try rig.waitUntil("edgeprint_slow_misses_under_way", is: 0)
    }

    @Test func `beyond the bound, clients wait`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig("placeholders: { behind: 1 }", source: Self.source, script: Self.origin(gate))
        #expect(try rig.get(Self.target)["Cache-Status"] == Self.status)
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send("GET /photos/b.png?w=9&format=png HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try rig.waitUntil("edgeprint_variants_under_way", is: 2)
        gate.open()
        let answer = try client.readResponse()
        #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; fwd=uri-miss", "\(answer.description)")
        #expect(PictureHeader.size(ofPNG: answer.body) == [9, 6])
    }

    @Test func `an image that may not be stored is waited for the second time`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: Self.source, script: Self.origin(gate, ["Cache-Control: no-store"]))
        #expect(try rig.get(Self.target)["Cache-Status"] == Self.status)
        gate.open()
        try rig.waitUntil("edgeprint_slow_misses_under_way", is: 0)
        for _ in 0..<2 { #expect(try rig.get(Self.target)["Cache-Status"] == "edgeprint; fwd=uri-miss") }
    }

    @Test func `a failure behind a placeholder is the answer to the next request`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(
            source: Self.source,
            script: { _, connection in
                gate.wait()
                connection.respond("404 Not Found", text: "no")
            }
        )
        #expect(try rig.get(Self.target)["Cache-Status"] == Self.status)
        gate.open()
        try rig.waitUntil("edgeprint_slow_misses_under_way", is: 0)
        #expect(try rig.get(Self.target).status == 404)
    }

    @Test func `the single retry after a failure goes on behind its placeholder`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(
            "negative: { failing: 1s }",
            source: Self.source,
            script: { request, connection in
                guard request.number > 1 else { return connection.respond("500 Internal Server Error", text: "") }
                Self.origin(gate)(request, connection)
            }
        )
        // Descriptions are never placeholders.
        #expect(try rig.get("/photos/a.png?format=json").status == 502)
        while rig.origin.requests < 2 { _ = try rig.get(Self.target) }
        gate.open()
        var answer = try rig.get(Self.target)
        while answer["ETag"] == nil { answer = try rig.get(Self.target) }
        #expect(answer.status == 200 && rig.origin.requests == 2, "\(answer.description)")
    }

    @Test func `a known original is shown as its ThumbHash, or in its colour`() throws {
        let gate = try ScriptedGate()
        let isSlow = Lock(false)
        let red = PixelImage(width: 90, height: 60) { _, _ in [200, 20, 20, 255] }
        let rig = try EndToEndRig(
            source: Self.source + ", placeholder: headers",
            script: { _, connection in
                if isSlow.withLock({ $0 }) { gate.wait() }
                let bytes = TestImages.png(width: 90, height: 60, rgba: red.bytes)
                connection.respond("200 OK", ["Cache-Control: max-age=0", "ETag: \"1\""], body: bytes)
            }
        )
        try waitWhile(rig.get("/photos/a.png?w=40&format=png")["X-Thumbhash"] == nil)
        isSlow.withLock { $0 = true }
        let shown = try rig.get("/photos/a.png?w=45&format=png")
        #expect(shown["Cache-Status"] == Self.status && PictureHeader.size(ofPNG: shown.body) == [32, 23])
        let cropped = try rig.get("/photos/a.png?crop=20x20&format=png")
        #expect(cropped["Cache-Status"] == Self.status && PictureHeader.size(ofPNG: cropped.body) == [20, 20])
        #expect(cropped.body.firstRange(of: Array("PLTE".utf8) + [200, 20, 20]) != nil)
        gate.open()
    }
}
