import Glibc
import HTTPSemantics
import LinuxSystem
import Logging
import TestSupport
import Testing

@testable import ProxyServer

/// The repetition of requests to a collector.
@Suite(.timeLimit(.minutes(1)))
struct SpanExporterTests {
    private static func exporter(
        _ collector: ScriptedCollector,
        total: Int64 = 60_000,
        longestAsked: Int64 = 300_000
    ) throws -> SpanExporter {
        var settings = Configuration.Tracing()
        settings.endpoint = collector.url
        settings.interval = 10
        let pauses = SpanExporter.Pauses(first: 1, longest: 4, longestAsked: longestAsked, total: total, random: { 0 })
        let exporter = SpanExporter(settings, instance: "i", pauses: pauses, logger: Logger(label: "test"))
        try exporter.start()
        return exporter
    }

    private static func span(_ name: String = "a") -> TraceSpan {
        var trace = TraceContext(high: 1, low: 2)
        trace.decide(span: 3)
        return TraceSpan(trace: trace, id: 3, parent: 0, name: name, kind: .server, start: 5, end: 9)
    }

    /// Waits for a count of the exporter.
    private static func wait(_ exporter: SpanExporter, until condition: (SpanExporter.Statistics) -> Bool) throws {
        try waitWhile(!condition(exporter.statistics))
    }

    @Test(arguments: [429, 502, 503, 504])
    func `repeats a batch that is refused for now`(status: Int) throws {
        let collector = try ScriptedCollector { number, connection in
            if number < 3 { return connection.respond("\(status) No", text: "") }
            ScriptedCollector.accept(connection)
        }
        let exporter = try Self.exporter(collector)
        exporter.queue.add([Self.span()], wakingAt: 1)
        try Self.wait(exporter) { $0.exported == 1 }
        #expect(exporter.statistics == SpanExporter.Statistics(exported: 1, retries: 2))
        let documents = collector.posts.value.map(\.document)
        #expect(documents.count == 3)
        exporter.stop(withinMilliseconds: 1_000)
    }

    @Test(arguments: [400, 401, 404, 413, 500])
    func `drops a batch that is refused for good`(status: Int) throws {
        let collector = try ScriptedCollector { number, connection in
            if number == 1 { return connection.respond("\(status) No", text: "") }
            ScriptedCollector.accept(connection)
        }
        let exporter = try Self.exporter(collector)
        exporter.queue.add([Self.span()], wakingAt: 1)
        try Self.wait(exporter) { $0.failed == 1 }
        exporter.queue.add([Self.span("b")], wakingAt: 1)
        try Self.wait(exporter) { $0.exported == 1 }
        #expect(exporter.statistics == SpanExporter.Statistics(exported: 1, failed: 1))
        exporter.stop(withinMilliseconds: 1_000)
    }

    @Test func `waits as long as Retry-After says, up to a limit`() throws {
        let collector = try ScriptedCollector { number, connection in
            if number == 1 { return connection.respond("503 Later", ["Retry-After: 1"], text: "") }
            if number == 3 { return connection.respond("429 Later", ["Retry-After: \(Int.max)"], text: "") }
            ScriptedCollector.accept(connection)
        }
        let exporter = try Self.exporter(collector)
        let begin = SystemTime().monotonic
        exporter.queue.add([Self.span()], wakingAt: 1)
        try Self.wait(exporter) { $0.exported == 1 }
        #expect(SystemTime().monotonic - begin >= 1_000_000_000)
        exporter.queue.add([Self.span()], wakingAt: 1)
        try Self.wait(exporter) { $0.failed == 1 }
        exporter.stop(withinMilliseconds: 1_000)
    }

    @Test func `gives a batch up after a time, also without a collector`() throws {
        let collector = try ScriptedCollector { _, connection in connection.close() }
        let exporter = try Self.exporter(collector, total: 500)
        exporter.queue.add([Self.span(), Self.span()], wakingAt: 1)
        try Self.wait(exporter) { $0.failed == 2 }
        #expect(exporter.statistics.retries >= 1)
        exporter.stop(withinMilliseconds: 1_000)
    }

    @Test func `counts what a collector rejects within a batch`() throws {
        let collector = try ScriptedCollector { _, connection in
            connection.respond(
                "200 OK",
                ["Content-Type: application/json"],
                text: #"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#
            )
        }
        let exporter = try Self.exporter(collector)
        exporter.queue.add([Self.span(), Self.span(), Self.span()], wakingAt: 1)
        try Self.wait(exporter) { $0.exported == 1 }
        #expect(exporter.statistics == SpanExporter.Statistics(exported: 1, rejected: 2))
        exporter.stop(withinMilliseconds: 1_000)
    }

    @Test func `takes batches from the queue, in order and of all or none of a request's spans`() {
        let queue = SpanQueue(limit: 3)
        queue.add([Self.span("a"), Self.span("b")], wakingAt: 2)
        queue.add([Self.span("c"), Self.span("d")], wakingAt: 2)
        queue.add([Self.span("e")], wakingAt: 2)
        #expect(queue.dropped == 2 && queue.count == 3)
        #expect(queue.next(2, within: 1)?.map(\.name) == ["a", "b"])
        queue.close()
        queue.add([Self.span("f")], wakingAt: 2)
        #expect(queue.next(2, within: 1)?.map(\.name) == ["e"])
        #expect(queue.next(2, within: 1) == nil && queue.dropped == 3)
    }

    @Test(arguments: [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
        ("https://c.example/otlp", "https://c.example/otlp"),
    ])
    func `an endpoint without a path means the one that OTLP prescribes`(endpoint: String, url: String) throws {
        #expect(try load("tracing: { endpoint: \"\(endpoint)\" }").tracing.url == url)
    }

    @Test(arguments: [
        ("{ endpoint: 127.0.0.1 }", "endpoint"), ("{ endpoint: \"http://u:p@c/\" }", "endpoint"),
        ("{ endpoint: \"http://c/?a=1\" }", "endpoint"), ("{ sample: 1.5 }", "sample"), ("{ parents: all }", "parents"),
        ("{ headers: { A: b } }", "headers"),
        ("{ endpoint: \"http://c/\", headers: { Content-Type: a } }", "headers"),
    ])
    func `refuses settings that mean nothing`(yaml: String, key: String) {
        let found = problems("tracing: \(yaml)")
        #expect(found.count == 1 && found.first?.contains("tracing.\(key)") == true, "\(found)")
    }
}
