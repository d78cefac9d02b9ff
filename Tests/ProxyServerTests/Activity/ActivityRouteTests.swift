import Foundation
import TestSupport
import Testing

@testable import ProxyServer

/// `GET /events` and `GET /inflight` of the real daemon.
@Suite(.timeLimit(.minutes(1)))
struct ActivityRouteTests {
    private let picture = TestImages.gradient(width: 40, height: 30)

    /// Opens a stream of the admin listener.
    private func stream(_ target: String, of rig: EndToEndRig) throws -> RawHTTPClient {
        let client = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 20_000)
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        let head = try client.readHead()
        #expect(head.status == 200 && head["Content-Type"] == "text/event-stream", "\(head.description)")
        return client
    }

    /// Reads events until one contains a text; returns all of them.
    private func events(_ client: RawHTTPClient, until text: String) throws -> [String] {
        var all = ""
        while !all.contains(text) || !all.hasSuffix("\n\n") {
            guard let chunk = try client.readChunk() else { break }
            all += String(decoding: chunk, as: UTF8.self)
        }
        return all.components(separatedBy: "\n\n").filter { $0.contains("event: ") }
    }

    private func inFlight(_ rig: EndToEndRig) throws -> [[String: Any]] {
        let text = try RawHTTPClient(port: rig.daemon.admin).get("/inflight").text
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return object?["entries"] as? [[String: Any]] ?? []
    }

    @Test func `a request is told as started, received, finished and stored`() throws {
        let rig = try EndToEndRig(source: ", forward-query: [key]", script: ScriptedOrigin.pictures(["a.png": picture]))
        let client = try stream("/events", of: rig)
        #expect(try rig.get("/photos/a.png?w=20&format=png&key=secret").status == 200)
        var found = try events(client, until: "\"plan\"")
        while !found.contains(where: { $0.contains("\"tier\":\"disk\"") && $0.contains("\"plan\"") }) {
            found += try events(client, until: "event: ")
        }
        func first(_ kind: String) -> String? { found.first { $0.contains("event: \(kind)\n") } }
        let started = try #require(first("started"))
        #expect(started.contains("\"source\":\"photos\"") && started.contains("/a.png?…\""), "\(started)")
        #expect(first("received")?.contains("\"status\":200,\"bytes\":\(picture.count)") == true, "\(found)")
        #expect(first("finished")?.contains("\"bytes\":\(picture.count),\"milliseconds\":") == true, "\(found)")
        #expect(found.contains { $0.contains("event: stored") && $0.contains("\"tier\":\"memory\"") })
        #expect(!found.contains { $0.contains("secret") })
        let order = ["started", "received", "finished", "stored"].map { kind in
            found.firstIndex { $0.contains("event: \(kind)\n") } ?? -1
        }
        #expect(order == order.sorted() && order[0] >= 0, "\(order)")
    }

    @Test func `failures and abandoned transfers are told`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { request, connection in
            guard request.target == "/slow.png" else {
                return connection.respond("500 Internal Server Error", text: "")
            }
            connection.waitForPeer()
            gate.open()
        }
        let client = try stream("/events", of: rig)
        #expect(try rig.get("/photos/broken.png?w=2").status == 502)
        #expect(try events(client, until: "event: finished").contains { $0.contains("\"status\":500") })
        let leaving = try RawHTTPClient(port: rig.daemon.port)
        try leaving.send("GET /photos/slow.png?w=2 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try events(client, until: "event: started")
        leaving.reset()
        _ = try events(client, until: "event: cancelled")
        gate.wait()
    }

    @Test func `the same events are log lines at level debug`() throws {
        let rig = try EndToEndRig("log: { level: debug }", script: ScriptedOrigin.pictures(["a.png": picture]))
        #expect(try rig.get("/photos/a.png?w=20").status == 200)
        for message in ["transfer started", "response received", "transfer finished", "\"tier\":\"disk\""] {
            try rig.daemon.waitForLog(message)
        }
    }

    @Test func `lists what is in flight with its progress, and nothing afterwards`() throws {
        let gate = try ScriptedGate()
        let body = [UInt8](repeating: 7, count: 1_000_000)
        let rig = try EndToEndRig(
            source: ", raw: true",
            script: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nCache-Control: max-age=60\r\n\r\n")
                connection.send(Array(body[..<400_000]))
                gate.wait()
                connection.send(Array(body[400_000...]))
            }
        )
        let clients = try (0..<2).map { _ in try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000) }
        for client in clients { try client.send("GET /photos/a?sig=secret HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        for client in clients { _ = try client.readHead() }
        var entry = try inFlight(rig).first
        while entry?["received"] as? Int != 400_000 { entry = try inFlight(rig).first }
        #expect(entry?["kind"] as? String == "raw" && entry?["source"] as? String == "photos")
        #expect(entry?["expected"] as? Int == 1_000_000 && entry?["stage"] as? String == "transfer")
        #expect((entry?["url"] as? String)?.hasSuffix("/a?…") == true && entry?["milliseconds"] is Int)
        gate.open()
        for client in clients { #expect(try client.read(exactly: 1_000_000) == body) }
        try waitWhile(!inFlight(rig).isEmpty)
    }

    @Test func `lists an image and its original, with the number of waiting clients`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig { [picture] _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=60"], body: picture)
        }
        let clients = try (0..<3).map { _ in try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000) }
        for client in clients { try client.send("GET /photos/a.png?w=9 HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        var entries: [[String: Any]] = []
        while entries.first(where: { $0["kind"] as? String == "image" })?["waiters"] as? Int != 3
            || entries.first(where: { $0["kind"] as? String == "original" })?["stage"] as? String != "transfer"
        {
            entries = try inFlight(rig)
        }
        let image = entries.first { $0["kind"] as? String == "image" }
        #expect(image?["stage"] as? String == "original", "\(entries)")
        #expect((image?["plan"] as? String)?.hasSuffix("w=9") == true, "\(entries)")
        gate.open()
        for client in clients { #expect(try client.readResponse().status == 200) }
    }

    @Test func `the work in progress is a stream for clients that accept events`() throws {
        let rig = try EndToEndRig(script: ScriptedOrigin.pictures([:]))
        let client = try stream("/inflight", of: rig)
        let found = try events(client, until: "event: inflight")
        #expect(found.first?.contains("data: {\"total\":0,\"entries\":[]}") == true, "\(found)")
    }

    @Test func `the number of streams is bounded, and a stopping daemon ends them`() throws {
        let rig = try EndToEndRig("events: { subscribers: 1 }", script: ScriptedOrigin.pictures([:]))
        let client = try stream("/events", of: rig)
        let refused = try RawHTTPClient(port: rig.daemon.admin).get("/events")
        #expect(refused.status == 503 && refused.text.contains("events.subscribers"), "\(refused.text)")
        #expect(try rig.metric("edgeprint_event_subscribers") == 1)
        rig.daemon.signal(15)
        while try client.readChunk() != nil {}
        #expect(rig.daemon.waitForExit() == 0)
    }
}
