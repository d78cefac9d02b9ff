import Foundation
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Warm jobs against the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct WarmTests {
    private static let presets = "presets: { thumb: \"w=8&h=8&format=png\", wide: \"w=16\" }"
    private let picture = TestImages.gradient(width: 64, height: 48)

    private func rig(_ extra: String = presets, source: String = "") throws -> EndToEndRig {
        try EndToEndRig(extra, source: source) { [picture] request, connection in
            guard !request.target.contains("missing") else {
                return connection.respond("404 Not Found", text: "no")
            }
            let isKnown = request.field("If-None-Match") != nil
            connection.respond(
                isKnown ? "304 Not Modified" : "200 OK",
                ["Cache-Control: max-age=600", "ETag: \"1\""],
                body: isKnown ? [] : picture
            )
        }
    }

    @Test func `makes every combination of URL, preset and format once, and stores it`() throws {
        let rig = try rig()
        let order = WarmOrder(urls: ["/photos/a.png", "/photos/b.png"], presets: ["wide"], formats: ["png", "webp"])
        let job = try rig.warm(order)
        let report = try rig.end(job)
        #expect(rig.counts(report) == [4, 4, 0, 0] && report["state"] == .string("done"), "\(report.text)")
        #expect(rig.origin.requests == 2)
        // Neither a client's request nor part of the hit ratio.
        #expect(try rig.metric("edgeprint_requests_total") == 0)
        #expect(try rig.metric("edgeprint_warm_targets_total{result=\"done\"}") == 4)
        #expect(try rig.metric("edgeprint_warm_jobs") == 0)
        // Stored before it counted as done: the process may be killed at once.
        try rig.restartAfterKill(Self.presets)
        for name in ["a", "b"] {
            for format in ["png", "webp"] {
                let status = try rig.cacheStatus("/photos/\(name).png?preset=wide&format=\(format)")
                #expect(status == "edgeprint; hit; detail=disk")
            }
        }
        #expect(rig.origin.requests == 2)
        #expect(rig.counts(try rig.report(job)) == [4, 4, 0, 0])
    }

    @Test func `skips what is fresh, and revalidates what is stale`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/a.png?preset=thumb").status == 200)
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 1)
        let order = WarmOrder(urls: ["/photos/a.png", "/photos/b.png"], presets: ["thumb"])
        #expect(rig.counts(try rig.end(try rig.warm(order))) == [2, 1, 1, 0])
        #expect(rig.origin.requests == 2)
        #expect(rig.counts(try rig.end(try rig.warm(order))) == [2, 0, 2, 0])
        #expect(rig.origin.requests == 2)
        #expect(try rig.post("/purge", #"{"all":true,"soft":true}"#).status == 200)
        #expect(rig.counts(try rig.end(try rig.warm(order))) == [2, 2, 0, 0])
        #expect(rig.origin.requests == 4)
        #expect(try rig.cacheStatus("/photos/a.png?preset=thumb") == "edgeprint; hit; detail=memory")
    }

    @Test func `makes a negotiated format for each class of clients`() throws {
        let rig = try rig()
        let job = try rig.warm(WarmOrder(urls: ["/photos/a.png?w=16"]))
        #expect(rig.counts(try rig.end(job)) == [1, 1, 0, 0])
        for (accept, format) in [
            ("image/avif,image/webp", "avif"), ("image/webp", "webp"), ("*/*", "png"), ("image/jxl,image/avif", "avif"),
        ] {
            let response = try rig.get("/photos/a.png?w=16", [("Accept", accept)])
            #expect(response["Cache-Status"] == "edgeprint; hit; detail=memory", "\(accept)")
            #expect(response["Content-Type"] == "image/\(format)")
        }
    }

    @Test func `makes an expensive AVIF at once instead of deferring it`() throws {
        let rig = try rig("avif: { budget: 0ms }")
        let job = try rig.warm(WarmOrder(urls: ["/photos/a.png?w=32"]))
        #expect(rig.counts(try rig.end(job)) == [1, 1, 0, 0])
        let response = try rig.get("/photos/a.png?w=32", [("Accept", "image/avif")])
        #expect(response["Content-Type"] == "image/avif" && response["Cache-Status"] == "edgeprint; hit; detail=memory")
        #expect(try rig.metric("edgeprint_deferred_total") == 0)
    }

    @Test func `counts failures with their reasons`() throws {
        let rig = try rig(Self.presets + "\nsigning: { keys: [\"00112233445566778899aabbccddeeff\"], required: true }")
        let urls = ["/photos/a.png", "/photos/missing.png", "/phots/a.png", "/photos/a.png?w=0"]
        let report = try rig.end(try rig.warm(WarmOrder(urls: urls)))
        #expect(rig.counts(report) == [4, 1, 0, 3])
        #expect(report["state"] == .string("done"))
        guard case .array(let failures)? = report["failures"] else {
            Issue.record("\(report.text)")
            return
        }
        let reasons = Dictionary(
            uniqueKeysWithValues: failures.map { ($0["target"]?.words ?? "", $0["reason"]?.words ?? "") }
        )
        #expect(reasons["/photos/missing.png"]?.hasSuffix("(404)") == true, "\(reasons)")
        #expect(reasons["/phots/a.png"]?.contains("did you mean 'photos'?") == true, "\(reasons)")
        #expect(reasons["/photos/a.png?w=0"]?.hasSuffix("(400)") == true, "\(reasons)")
    }

    @Test func `an absolute URL belongs to the source below whose URL it is`() throws {
        let rig = try rig("remote: { allow-private: true }")
        let urls = ["\(rig.origin.url)/x/a%20b.png#top", "http://127.0.0.2:\(rig.origin.port)/c.png"]
        let report = try rig.end(try rig.warm(WarmOrder(urls: urls)))
        #expect(report["total"] == .number(2))
        #expect(try rig.cacheStatus("/photos/x/a%20b.png")?.hasPrefix("edgeprint; hit") == true)
        guard case .array(let failures)? = report["failures"] else {
            Issue.record("\(report.text)")
            return
        }
        // The origin listens on 127.0.0.1 only.
        let target = "/fetch?url=http%3A%2F%2F127.0.0.2%3A\(rig.origin.port)%2Fc.png"
        #expect(failures.first?["target"] == .string(target), "\(report.text)")
    }

    @Test func `cancels a job, and keeps what was made`() throws {
        let gate = Monitor(false)
        let rig = try EndToEndRig { [picture] request, connection in
            if request.target.hasPrefix("/slow") { _ = gate.wait { $0 ? true : nil } }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        let job = try rig.warm(WarmOrder(urls: ["/photos/a.png"] + (1...50).map { "/photos/slow\($0).png" }))
        try rig.wait(for: job, toFinish: 1)
        #expect(try rig.metric("edgeprint_warm_jobs") == 1)
        #expect(try rig.metric("edgeprint_warm_waiting") == 50)
        let cancelled = try rig.admin("DELETE", "/warm/\(job)")
        gate.update(wakingAll: true) { $0 = true }
        #expect(cancelled.status == 200)
        let report = try #require(JSONValue(parsing: cancelled.text))
        #expect(report["state"] == .string("cancelled") && rig.counts(report) == [51, 1, 0, 0])
        // At most three at a time.
        #expect(rig.origin.requests <= 4)
        #expect(try rig.admin("DELETE", "/warm/\(job)").text.contains("cancelled"))
        try rig.restartAfterKill()
        #expect(rig.counts(try rig.report(job)) == [51, 1, 0, 0])
        #expect(try rig.metric("edgeprint_warm_jobs") == 0)
        #expect(try rig.cacheStatus("/photos/a.png") == "edgeprint; hit; detail=disk")
    }

    @Test func `targets that fail at once do not keep the thread from a cancellation`() throws {
        let rig = try EndToEndRig { _, connection in connection.respond("404 Not Found", text: "no") }
        let job = try rig.warm(WarmOrder(urls: (1...9_000).map { "/none/\($0).png" }))
        let cancelled = try rig.admin("DELETE", "/warm/\(job)")
        let report = try #require(JSONValue(parsing: cancelled.text))
        #expect(report["state"] == .string("cancelled") && rig.counts(report)[3] < 9_000, "\(report.text)")
    }

    @Test func `no more targets are in progress than the setting allows, over all jobs`() throws {
        let gate = Monitor(0)
        let rig = try EndToEndRig("warm: { active: 2 }", source: ", connections: 20") { [picture] _, connection in
            gate.update(wakingAll: true) { $0 += 1 }
            _ = gate.wait { $0 >= 1000 ? true : nil }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        let jobs = try (1...2).map { job in
            try rig.warm(WarmOrder(urls: (1...5).map { "/photos/\(job)-\($0).png" }))
        }
        _ = gate.wait { $0 >= 2 ? true : nil }
        #expect(rig.origin.mostActiveRequests == 2)
        gate.update(wakingAll: true) { $0 = 1000 }
        for job in jobs { #expect(rig.counts(try rig.end(job)) == [5, 5, 0, 0]) }
        #expect(rig.origin.mostActiveRequests == 2)
        // Jobs take turns, once both are there.
        let started = rig.origin.heads.map { $0.split(separator: " ")[1].prefix(2) }
        #expect(try #require(started.firstIndex { $0 == "/2" }) <= 4, "\(started)")
    }

    @Test func `starts no more targets per second than the setting allows`() throws {
        let rig = try rig("warm: { rate: 20 }")
        let time = SystemTime()
        let start = time.monotonic
        let job = try rig.warm(WarmOrder(urls: (1...11).map { "/photos/\($0).png" }))
        #expect(rig.counts(try rig.end(job)) == [11, 11, 0, 0])
        // Ten pauses of 50 ms.
        #expect(time.monotonic - start >= 500_000_000)
    }

    @Test func `reports progress as a stream of events until the end`() throws {
        let gate = Monitor(false)
        let rig = try EndToEndRig("warm: { progress: 10ms }") { [picture] request, connection in
            if request.target.hasPrefix("/slow") { _ = gate.wait { $0 ? true : nil } }
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        let job = try rig.warm(WarmOrder(urls: ["/photos/a.png", "/photos/slow.png"]))
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        try client.send("GET /warm/\(job) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        let head = try client.readHead()
        #expect(head.status == 200 && head["Content-Type"] == "text/event-stream")
        var text = ""
        while !text.contains("\"done\":1,") { text += String(decoding: try client.readChunk() ?? [], as: UTF8.self) }
        #expect(text.hasPrefix("event: progress\ndata: {\"id\":\(job),\"state\":\"running\",\"total\":2,"), "\(text)")
        gate.update(wakingAll: true) { $0 = true }
        while let chunk = try client.readChunk() { text += String(decoding: chunk, as: UTF8.self) }
        let last = text.components(separatedBy: "\n\n").dropLast().last ?? ""
        #expect(last.hasPrefix("event: end\ndata: {\"id\":\(job),\"state\":\"done\""), "\(last)")
        let again = try rig.admin("GET", "/warm/\(job)", [("Accept", "text/event-stream")])
        #expect(again.text.hasPrefix("event: end\n"))
    }

    @Test func `lists jobs, and forgets the oldest that has ended`() throws {
        let rig = try rig("warm: { jobs: 2, targets: 3 }")
        let jobs = try (1...3).map { number in
            let job = try rig.warm(WarmOrder(urls: ["/photos/\(number).png"]))
            _ = try rig.end(job)
            return job
        }
        #expect(try rig.admin("GET", "/warm/\(jobs[0])").status == 404)
        let list = try #require(JSONValue(parsing: try rig.admin("GET", "/warm").text)?["jobs"])
        guard case .array(let reports) = list else {
            Issue.record("\(list.text)")
            return
        }
        #expect(reports.map { $0["id"]?.int } == [jobs[2], jobs[1]])
        let large = try rig.post("/warm", #"{"urls":["/a","/b"],"formats":["png","webp"]}"#)
        #expect(large.status == 413 && large.text.contains("warm.targets"), "\(large.text)")
    }

    @Test(arguments: [
        (#"{"urls":[]}"#, "at least one URL"), (#"{"url":["/a"]}"#, "Did you mean urls?"),
        (#"{"urls":["/a"],"urls":["/b"]}"#, "has urls more than once"), (#"{"urls":"/a"}"#, "must be a list"),
        (#"["/a"]"#, "must be a JSON object"),
        (#"{"urls":["a.png"]}"#, "urls[0], 'a.png', is neither"),
        (#"{"urls":["/a"],"presets":["thumbs"]}"#, "did you mean thumb?"),
        (#"{"urls":["/a"],"formats":["wepb"]}"#, "did you mean webp?"),
    ])
    func `an invalid order is refused with the reason`(order: String, expected: String) throws {
        let response = try rig().post("/warm", order)
        #expect(response.status == 400)
        #expect(response.text.lowercased().contains(expected.lowercased()), "\(response.text)")
    }

    @Test func `unknown jobs are 404`() throws {
        let rig = try rig()
        for (method, path) in [("GET", "/warm/7"), ("DELETE", "/warm/7"), ("GET", "/warm/x")] {
            #expect(try rig.admin(method, path).status == 404)
        }
        #expect(try rig.admin("PUT", "/warm/7").status == 405)
    }
}
