import HTTPCache
import HTTPKit
import LinuxSystem
import Logging
import TestSupport
import Testing

@testable import ProxyServer

/// Streams of server-sent events, without a connection.
@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    private static let limit = 512 << 10

    /// A stream with its reader, which a connection would have.
    private func open(onEnd: @escaping @Sendable () -> Void = {}) throws -> (EventStream, GrowingFile.Reader) {
        let stream = try EventStream(limit: Self.limit)
        let response = stream.response(onEnd: onEnd)
        guard case .growing(let reader, 0, nil) = response.body else { throw Errno(1, "no reader") }
        return (stream, reader)
    }

    private func text(_ reader: GrowingFile.Reader, from start: Int = 0) -> String {
        let count = reader.source.progress.count
        return String(decoding: reader.source.file.read(count: count)?[start...] ?? [], as: UTF8.self)
    }

    @Test func `writes events as lines with name, number and data`() throws {
        let (stream, reader) = try open()
        stream.sendComment()
        #expect(stream.send("started", id: 7, "{\"a\":1}") && stream.send("stored", "{}"))
        #expect(text(reader) == ":\n\nid: 7\nevent: started\ndata: {\"a\":1}\n\nevent: stored\ndata: {}\n\n")
    }

    @Test func `a subscriber that does not read loses events, and is told how many once it reads`() throws {
        let (stream, reader) = try open()
        let data = String(repeating: "x", count: 1_000)
        var sent = 0
        while stream.send("e", data) { sent += 1 }
        #expect((500...524).contains(sent))
        for _ in 0..<9 { #expect(!stream.send("e", data)) }
        let count = reader.source.progress.count
        #expect(count <= Self.limit)
        // Nothing is written until there is room.
        reader.read(to: 1_000)
        #expect(reader.source.progress.count == count)
        reader.read(to: count)
        #expect(text(reader, from: count) == "event: lost\ndata: {\"lost\":10}\n\n")
        #expect(stream.send("e", "1"))
        #expect(text(reader, from: count).hasSuffix("event: e\ndata: 1\n\n"))
    }

    @Test func `a snapshot is sent when it has changed`() throws {
        let value = Lock("1")
        let stream = try EventStream(limit: Self.limit, snapshot: { value.withLock { $0 } })
        guard case .growing(let reader, _, _) = stream.response(onEnd: {}).body else { throw Errno(1, "no reader") }
        for _ in 0..<3 { stream.sendSnapshot("s") }
        value.withLock { $0 = "2" }
        for _ in 0..<3 { stream.sendSnapshot("s") }
        #expect(text(reader) == "event: s\ndata: 1\n\nevent: s\ndata: 2\n\n")
    }

    private func hub(_ level: LogLevelCell, _ limits: Configuration.Events = Configuration.Events()) -> EventHub {
        EventHub(
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            level: level,
            limits: { limits },
            time: ManualTime(wallSeconds: 0)
        )
    }

    @Test func `events are created only while somebody listens`() throws {
        let level = LogLevelCell(.info)
        let hub = hub(level)
        #expect(!hub.isObserving)
        level.set(.debug)
        #expect(hub.isObserving)
        level.set(.info)
        var response: Response? = hub.subscribe(to: .events)
        #expect(hub.isObserving && hub.statistics.subscribers == 1)
        #expect(response?.status == 200)
        response = nil
        #expect(!hub.isObserving && hub.statistics.subscribers == 0)
        let other = hub.subscribe(to: .inFlight, snapshot: { "{}" })
        #expect(!hub.isObserving && hub.statistics.subscribers == 1)
        #expect(other.status == 200)
    }

    @Test func `each subscriber receives each event, and losses are counted`() throws {
        let hub = hub(LogLevelCell(.info), Configuration.Events(subscribers: 2, buffer: Self.limit))
        let responses = [hub.subscribe(to: .events), hub.subscribe(to: .events)]
        #expect(hub.subscribe(to: .events).status == 503)
        var event = ActivityEvent(.stored, source: "photos", url: "https://a.example/b")
        (event.tier, event.bytes, event.plan) = ("disk", 12, "w=1")
        hub.note(event)
        for response in responses {
            guard case .growing(let reader, _, _) = response.body else { throw Errno(1, "no reader") }
            let expected =
                "id: 1\nevent: stored\ndata: {\"time\":\"1970-01-01T00:00:00Z\",\"source\":\"photos\","
                + "\"url\":\"https://a.example/b\",\"plan\":\"w=1\",\"tier\":\"disk\",\"bytes\":12}\n\n"
            #expect(text(reader) == ":\n\n" + expected)
        }
        #expect(hub.statistics.lost == 0)
        event.plan = String(repeating: "x", count: Self.limit)
        hub.note(event)
        #expect(hub.statistics.lost == 2)
        hub.close()
        #expect(hub.subscribe(to: .events).status == 503)
    }
}
