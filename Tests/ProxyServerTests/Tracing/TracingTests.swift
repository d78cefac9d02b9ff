import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// The daemon as a collector and an origin see it.
@Suite(.timeLimit(.minutes(1)))
struct TracingTests {
    private static let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let picture = TestImages.gradient(width: 64, height: 48)

    private func rig(
        _ collector: ScriptedCollector,
        _ settings: String = "sample: 1, interval: 10ms",
        _ extra: String = "",
        sources: String = ""
    ) throws -> EndToEndRig {
        let script = ScriptedOrigin.pictures(["a.png": picture])
        return try EndToEndRig(Self.tracing(collector, settings) + extra, sources: sources, script: script)
    }

    private static func tracing(_ collector: ScriptedCollector, _ settings: String) -> String {
        "tracing: { endpoint: \"\(collector.url)\", \(settings) }\n"
    }

    private static func name(_ span: JSONValue) -> String { span["name"]?.words ?? "" }

    @Test func `a miss is one server span with a span for each of its stages`() throws {
        let collector = try ScriptedCollector()
        let rig = try rig(collector, "sample: 1, interval: 10ms, headers: { Authorization: \"Bearer s3cret\" }")
        #expect(try rig.get("/photos/a.png?w=20&format=webp").status == 200)
        let spans = try collector.spans { $0.contains { Self.name($0).hasPrefix("GET") } }
        let post = try #require(collector.posts.value.first)
        #expect(OTLPSchema.problems(post.document) == [])
        #expect(post.request.method == "POST" && post.request.target == "/v1/traces")
        #expect(post.request.field("Content-Type") == "application/json")
        #expect(post.request.field("Authorization") == "Bearer s3cret")
        let resource = try #require(post.document.list("resourceSpans").first?["resource"])
        #expect(resource.attribute("service.name") == "edgeprint")
        #expect(resource.attribute("service.version") == Version.text)
        #expect(resource.attribute("service.instance.id")?.count == 36)

        let server = try #require(spans.first { Self.name($0) == "GET /photos/*" })
        #expect(server["kind"] == .number(2) && server["parentSpanId"] == nil)
        for (name, value) in [
            ("http.request.method", "GET"), ("http.response.status_code", "200"), ("url.path", "/photos/a.png"),
            ("url.query", "w=20&format=webp"), ("url.scheme", "http"), ("server.address", "localhost"),
            ("network.protocol.version", "1.1"), ("client.address", "127.0.0.1"), ("http.route", "/photos/*"),
            ("edgeprint.cache", "miss"), ("edgeprint.source", "photos"),
        ] {
            #expect(server.attribute(name) == value, "\(name)")
        }
        let stages = spans.filter { $0["parentSpanId"] == server["spanId"] }
        #expect(Set(["fetch", "decode", "encode"]).isSubset(of: stages.map(Self.name)), "\(stages.map(Self.name))")
        #expect(spans.allSatisfy { $0["traceId"] == server["traceId"] && $0["status"] == .object([]) })
        let times = try Self.times(server)
        for span in spans {
            let own = try Self.times(span)
            #expect(times.start <= own.start && own.start <= own.end && own.end <= times.end, "\(span.text)")
        }
        let fetch = try #require(stages.first { Self.name($0) == "fetch" })
        #expect(fetch["kind"] == .number(3) && fetch.attribute("server.address") == "127.0.0.1")
        let sent = try #require(ScriptedRequest.field("traceparent", in: rig.origin.heads[0]))
        #expect(sent == "00-\(server["traceId"]?.words ?? "")-\(fetch["spanId"]?.words ?? "")-01")
    }

    @Test func `a hit is one span, and its signature is redacted`() throws {
        let collector = try ScriptedCollector()
        let keys = "signing: { keys: [\(String(repeating: "0d", count: 16))] }\n"
        let rig = try rig(collector, "sample: 0, parents: any, interval: 10ms", keys)
        let target = "/photos/a.png?w=20&format=png"
        #expect(try rig.get(target).status == 200)
        // The signature is wrong, and must not appear all the same.
        #expect(try rig.get(target + "&sig=abcdef", [("traceparent", Self.caller)]).status == 403)
        #expect(try rig.get(target, [("traceparent", Self.caller)]).status == 200)
        let spans = try collector.spans { $0.count >= 2 }
        // Loops do not wait for each other, so the order is not known.
        #expect(Set(spans.map { $0.attribute("edgeprint.cache") }) == ["refused", "memory"])
        let hit = spans.first { $0.attribute("edgeprint.cache") == "memory" }
        #expect(hit.map(Self.name) == "GET /photos/*" && hit?.attribute("edgeprint.source") == "photos")
        #expect(spans.map { $0["traceId"]?.words ?? "" }.allSatisfy { Self.caller.contains($0) })
        #expect(spans.allSatisfy { $0["parentSpanId"] == .string("00f067aa0ba902b7") })
        let refused = spans.first { $0.attribute("edgeprint.cache") == "refused" }
        #expect(refused?.attribute("url.query") == "w=20&format=png&sig=…")
    }

    @Test func `a span contains nothing that authorises its reader, and no text without a bound`() throws {
        let collector = try ScriptedCollector()
        let script = ScriptedOrigin.pictures(["a.png": picture])
        let settings = Self.tracing(collector, "sample: 1, interval: 10ms") + "proxies: { trust: [127.0.0.1] }\n"
        let rig = try EndToEndRig(settings, source: ", forward-query: [token]", script: script)
        let host = String(repeating: "h", count: 4_000)
        let state = "vendor=" + String(repeating: "s", count: 600)
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(
            "GET /photos/a.png?token=s3cret&w=20&format=png HTTP/1.1\r\nHost: \(host)\r\n"
                + "traceparent: \(Self.caller)\r\ntracestate: \(state)\r\n\r\n"
        )
        #expect(try client.readResponse().status == 200)
        let spans = try collector.spans { $0.contains { Self.name($0).hasPrefix("GET") } }
        #expect(rig.origin.heads[0].contains("token=s3cret"))
        for text in collector.posts.value.map(\.document.text) {
            #expect(!text.contains("s3cret") && !text.contains("hhhh") && !text.contains("ssss"), "\(text)")
        }
        let server = spans.first { Self.name($0).hasPrefix("GET") }
        #expect(server?.attribute("url.query") == "token=…&w=20&format=png")
        #expect(server?.attribute("server.address") == nil)
    }

    @Test func `the flag of a caller decides if it is a trusted proxy, and the share does otherwise`() throws {
        let collector = try ScriptedCollector()
        let trusting = try rig(collector, "sample: 0, interval: 10ms", "proxies: { trust: [127.0.0.1] }\n")
        let strict = try rig(collector, "sample: 1, interval: 10ms")
        let unsampled = Self.caller.dropLast(2) + "00"
        let state = ("tracestate", "vendor=1")
        #expect(try trusting.get("/photos/a.png?w=1", [("traceparent", String(unsampled))]).status == 200)
        #expect(try trusting.get("/photos/a.png?w=2").status == 200)
        #expect(try trusting.get("/photos/none.png", [("traceparent", Self.caller), state]).status == 404)
        #expect(ScriptedRequest.field("tracestate", in: trusting.origin.heads[1]) == "vendor=1")
        let first = try collector.spans { $0.contains { Self.name($0).hasPrefix("GET") } }
        #expect(Set(first.map { $0["traceState"] }) == [.string("vendor=1")])
        #expect(first.map(Self.name).contains("fetch"))
        #expect(try trusting.metric("edgeprint_trace_spans_total") == Double(first.count))
        // A client that nobody trusts cannot keep its requests out of the traces, and passes on no state.
        #expect(try strict.get("/photos/a.png?w=3", [("traceparent", String(unsampled)), state]).status == 200)
        let all = try collector.spans { $0.count { Self.name($0).hasPrefix("GET") } == 2 }
        let second = all.dropFirst(first.count)
        #expect(second.allSatisfy { $0["traceState"] == nil })
        #expect(ScriptedRequest.field("tracestate", in: strict.origin.heads[0]) == nil)
        #expect(ScriptedRequest.field("traceparent", in: strict.origin.heads[0])?.hasSuffix("-01") == true)
    }

    @Test func `failures of the origin and raw sources have spans, too`() throws {
        let collector = try ScriptedCollector()
        let origin = try ScriptedOrigin { request, connection in
            if request.target == "/broken.png" { return connection.respond("500 Internal Server Error", text: "no") }
            connection.respond("200 OK", ["Cache-Control: max-age=60"], text: "hello")
        }
        let raw =
            "\n  files: { url: \"\(origin.url)/\", raw: true, allow-private: true }"
            + "\n  broken: { url: \"\(origin.url)/\", allow-private: true }"
        let rig = try rig(collector, sources: raw)
        #expect(try rig.get("/broken/broken.png?w=9").status == 502)
        let failed = try collector.spans { $0.contains { Self.name($0) == "GET /broken/*" } }
        let server = try #require(failed.first { Self.name($0).hasPrefix("GET") })
        #expect(server["status.code"] == .number(2) && server.attribute("error.type") == "502")
        #expect(failed.first { Self.name($0) == "fetch" }?["status.code"] == .number(2))
        #expect(try rig.get("/files/a.txt", [("traceparent", Self.caller)]).text == "hello")
        let spans = try collector.spans { $0.contains { Self.name($0) == "GET /files/*" } }
        let fetch = try #require(spans.last { Self.name($0) == "fetch" })
        let sent = ScriptedRequest.field("traceparent", in: origin.heads.last ?? "")
        #expect(sent == "00-\(Self.caller.dropFirst(3).prefix(32))-\(fetch["spanId"]?.words ?? "")-01")
        for post in collector.posts.value { #expect(OTLPSchema.problems(post.document) == []) }
    }

    @Test func `a full queue drops spans and counts them, and answers no request later`() async throws {
        let gate = try ScriptedGate()
        let collector = try ScriptedCollector { _, connection in
            gate.wait()
            ScriptedCollector.accept(connection)
        }
        let rig = try rig(collector, "sample: 1, interval: 10ms, queue: 16, batch: 1")
        #expect(try rig.get("/photos/a.png?w=20&format=png").status == 200)
        try collector.posts.wait { !$0.isEmpty }
        // The sender waits for the collector; hits are one span each.
        for _ in 1...40 { #expect(try rig.get("/photos/a.png?w=20&format=png").status == 200) }
        // An exchange is recorded before it is no longer in flight.
        try rig.waitUntil("edgeprint_requests_in_flight", is: 0)
        let recorded = try #require(try rig.metric("edgeprint_trace_spans_total"))
        let waiting = try #require(try rig.metric("edgeprint_trace_queue_spans"))
        #expect(waiting <= 16)
        try rig.waitUntil("edgeprint_trace_spans_dropped_total", is: recorded - waiting - 1)
        gate.open()
        try rig.waitUntil("edgeprint_trace_queue_spans", is: 0)
        try rig.waitUntil("edgeprint_trace_spans_exported_total", is: waiting + 1)
    }

    @Test func `a reload turns tracing on and off`() throws {
        let collector = try ScriptedCollector()
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures(["a.png": picture]))
        #expect(try rig.get("/photos/a.png?w=1").status == 200)
        try rig.rewrite(Self.tracing(collector, "sample: 1, interval: 10ms"))
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded", times: 1)
        #expect(try rig.get("/photos/a.png?w=1").status == 200)
        let spans = try collector.spans { !$0.isEmpty }
        #expect(spans.count == 1)
        try rig.rewrite("")
        rig.daemon.signal(SIGHUP)
        try rig.daemon.waitForLog("configuration reloaded", times: 2)
        #expect(try rig.get("/photos/a.png?w=1").status == 200)
        #expect(try rig.metric("edgeprint_trace_spans_total") == 1)
    }

    @Test func `a shutdown sends what waits, and does not wait for a collector that hangs`() throws {
        let collector = try ScriptedCollector()
        let rig = try rig(collector, "sample: 1, interval: 10m")
        #expect(try rig.get("/photos/a.png?w=20&format=png").status == 200)
        #expect(collector.posts.value.isEmpty)
        rig.daemon.signal(SIGTERM)
        #expect(rig.daemon.waitForExit() == 0)
        #expect(collector.posts.value.flatMap(\.spans).contains { Self.name($0) == "GET /photos/*" })

        let gate = try ScriptedGate()
        let hanging = try ScriptedCollector { _, _ in gate.wait() }
        let stuck = try self.rig(hanging, "sample: 1, interval: 10ms, timeout: 10m")
        #expect(try stuck.get("/photos/a.png?w=20&format=png").status == 200)
        try hanging.posts.wait { !$0.isEmpty }
        stuck.daemon.signal(SIGTERM)
        #expect(stuck.daemon.waitForExit() == 0)
        #expect(stuck.daemon.logText.contains("spans were not delivered"))
        gate.open()
    }

    private static func times(_ span: JSONValue) throws -> (start: Int64, end: Int64) {
        let start = try #require(span["startTimeUnixNano"].flatMap { Int64($0.words) })
        return (start, try #require(span["endTimeUnixNano"].flatMap { Int64($0.words) }))
    }
}
