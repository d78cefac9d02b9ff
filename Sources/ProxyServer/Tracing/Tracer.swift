import HTTPKit
import HTTPSemantics
import ImagePlan
import LinuxSystem
import Logging
import Synchronization

/// Records spans of requests to the public listener, and has them sent to a collector; any thread.
///
/// Event loops record: a request that is not sampled costs a branch, and one that is sampled never waits, since spans are dropped
/// when the queue is full.
final class Tracer: Sendable {
    /// The longest time that spans are sent at a shutdown, in milliseconds.
    private static let flushTime = 3_000
    /// The longest `tracestate` that is passed on, in bytes; the least that W3C Trace Context §3.3.1.5 demands.
    private static let maximumState = 512
    /// The longest host and port that are recorded, in bytes: 253 of a name (RFC 1035 §2.3.4), a colon and five digits.
    private static let maximumHost = 259

    /// Decides which requests are traced; for the server.
    let sampling = TraceSampling()
    let exporter: SpanExporter
    /// The traced requests in progress by the ids of their spans, one table for each event loop.
    private let open: [OpenRequests]
    private let sources: SourceNumbers
    private let logger: Logger
    private let settings: Lock<Configuration.Tracing>
    private let hasStarted = Lock(false)
    private let recorded = Atomic<Int>(0)

    private final class OpenRequests: Sendable {
        let table = Lock([UInt64: RequestTrace]())
    }

    /// Creates a tracer, which starts its thread once there is a collector.
    ///
    /// - Parameters:
    ///   - loops: the number of event loops.
    ///   - sources: the names of the sources.
    init(_ settings: Configuration.Tracing, loops: Int, sources: SourceNumbers, logger: Logger) {
        self.sources = sources
        self.logger = logger
        self.settings = Lock(settings)
        open = (0..<loops).map { _ in OpenRequests() }
        exporter = SpanExporter(settings, instance: Self.newInstance(), logger: logger)
        apply(settings)
    }

    /// Spans recorded since the start, those dropped included.
    var recordedCount: Int { recorded.load(ordering: .relaxed) }

    /// Applies the settings to subsequent requests; the daemon's thread.
    func apply(_ settings: Configuration.Tracing) {
        self.settings.withLock { $0 = settings }
        exporter.apply(settings)
        guard settings.isOn else { return sampling.turnOff() }
        do throws(Errno) {
            try start()
            sampling.turnOn(millionths: settings.sample.millionths, followsAll: settings.parents == .any)
        } catch {
            logger.warning("traces cannot be sent", metadata: ["error": "\(error)"])
        }
    }

    /// Starts the thread, unless it runs.
    private func start() throws(Errno) {
        guard !hasStarted.withLock({ $0 }) else { return }
        try exporter.start()
        hasStarted.withLock { $0 = true }
    }

    /// Records nothing more, and sends what waits for at most `tracing.timeout` or three seconds; blocks.
    func stop() {
        sampling.turnOff()
        guard hasStarted.withLock({ $0 }) else { return }
        exporter.stop(withinMilliseconds: min(Self.flushTime, settings.withLock { $0.timeout }))
    }

    /// Records the beginning of a request, if it is traced; on its loop.
    @inline(__always)
    func began(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) {
        if context.trace.isRecorded { record(head, bytes, context) }
    }

    private func record(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) {
        let host = head.authority.map { Self.host($0, bytes) } ?? ""
        let follows = context.isFromTrustedProxy || settings.withLock { $0.parents == .any }
        let state = follows && context.trace.isFromCaller ? Self.state(head, bytes) : ""
        let request = RequestTrace(start: context.monotonic, host: host, state: state)
        open[context.loop].table.withLock { $0[context.trace.span] = request }
    }

    /// What is recorded about a request; `nil` if it is not traced; on its loop.
    @inline(__always)
    func trace(of context: RequestContext) -> RequestTrace? {
        guard context.trace.isRecorded else { return nil }
        return open[context.loop].table.withLock { $0[context.trace.span] }
    }

    /// Records the end of an exchange, if it is traced; on its loop.
    @inline(__always)
    func ended(_ exchange: ExchangeSummary, target: Span<UInt8>) {
        if exchange.trace.isRecorded { finish(exchange, target) }
    }

    private func finish(_ exchange: ExchangeSummary, _ target: Span<UInt8>) {
        let request = open[exchange.loop].table.withLock { $0.removeValue(forKey: exchange.trace.span) }
        guard let request else { return }
        let facts = request.facts
        let tag = AnswerTag(exchange.tag)
        let server = ServerSpan(
            exchange: exchange,
            facts: facts,
            result: tag.result,
            source: sources.name(of: tag.source),
            start: request.start
        )
        let stages = StageSpans(
            trace: exchange.trace,
            start: request.start,
            facts: facts,
            note: exchange.note as? AnswerNote,
            download: request.download
        )
        let spans = [server.span(target)] + stages.spans
        recorded.wrappingAdd(spans.count, ordering: .relaxed)
        exporter.queue.add(spans, wakingAt: settings.withLock { $0.batch })
    }

    /// The host and port of a request; empty for more than any host name has, since spans wait in memory.
    private static func host(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
        range.count <= maximumHost ? String(decoding: bytes.copy(range), as: UTF8.self) : ""
    }

    /// The value of `tracestate`; empty if it is too long or not printable ASCII, as W3C Trace Context §3.3.1 demands.
    private static func state(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> String {
        guard head.has(.tracestate) else { return "" }
        let value = head.joined(.tracestate, in: bytes)
        guard value.count <= maximumState, value.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            return ""
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// A random UUID (RFC 9562 §5.4), which distinguishes this process from others.
    private static func newInstance() -> String {
        let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & ~(0xC << 60) | 0x8 << 60
        let digits = TraceContext.text(ofSpan: high) + TraceContext.text(ofSpan: low)
        var groups: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }
}
