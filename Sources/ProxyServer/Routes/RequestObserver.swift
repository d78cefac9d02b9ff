import HTTPKit
import LinuxSystem
import Logging

/// Records every exchange of the public listener in metrics and the access log.
///
/// Called on event loops. Each loop has its own log, so its lock is never contended.
final class RequestObserver: Sendable {
    private let metrics: Metrics
    private let recorder: RequestRecorder
    private let logs: [LoopLog]
    private let time: any TimeSource
    private let logger: Logger

    /// Creates an observer of `loops` event loops.
    ///
    /// - Parameters:
    ///   - recorder: remembers requests for the pages of the admin listener.
    ///   - format: the format of the access log, or `nil` for none.
    ///   - sink: the sink of its lines.
    ///   - budget: the limit of lines per second.
    ///   - logger: logs the number of dropped lines.
    init(
        metrics: Metrics,
        recorder: RequestRecorder,
        format: LogFormat?,
        sink: LineSink,
        budget: LineBudget,
        loops: Int,
        time: any TimeSource,
        logger: Logger
    ) {
        self.metrics = metrics
        self.recorder = recorder
        self.time = time
        self.logger = logger
        logs =
            format.map { format in
                (0..<loops).map { _ in
                    let log = AccessLog(format: format, sink: sink, sources: metrics.sourceNumbers)
                    return LoopLog(log, LineLease(budget, loops: loops))
                }
            } ?? []
    }

    /// Records the start of a request.
    @inline(__always)
    func began(loop: Int) { metrics.inFlight.begin(loop: loop) }

    /// Records the end of an exchange, complete or aborted.
    func finished(_ exchange: ExchangeSummary, target: Span<UInt8>) {
        let tag = AnswerTag(exchange.tag)
        // Neither a part of an image, its head alone, nor a description saves what the whole image would have.
        let isWhole = exchange.status == 200 && exchange.isComplete && exchange.method == .get && tag.hasImage
        let bytes = exchange.bytesSent + (exchange.isComplete ? Int64(tag.redirected) : 0)
        metrics.finished(
            tag,
            status: Int(exchange.status),
            bytes: UInt64(clamping: bytes),
            saved: isWhole ? Int(exchange.amount) : 0,
            microseconds: UInt64(clamping: exchange.duration / 1000),
            loop: exchange.loop
        )
        // Updated last: if none is in flight, all are counted.
        if !tag.isUnhandled { metrics.inFlight.end(loop: exchange.loop) }
        recorder.finished(exchange, tag.result, target: target)
        guard !logs.isEmpty else { return }
        let record = AccessLog.Record(
            time: time.wallSeconds,
            client: ClientAddress(exchange.peer),
            method: exchange.method.logName,
            status: Int(exchange.status),
            bytes: bytes,
            duration: exchange.duration / 1000,
            result: tag.result,
            isComplete: exchange.isComplete,
            trace: exchange.trace,
            tag: tag,
            saved: isWhole ? exchange.amount : nil,
            stages: (exchange.note as? AnswerNote)?.timings
        )
        logs[exchange.loop].append(record, target: target) { dropped in
            logger.warning("access log lines dropped", metadata: ["count": "\(dropped)"])
        }
    }

    /// Writes buffered log lines, at the end of a loop's turn.
    @inline(__always)
    func flush(loop: Int) {
        guard !logs.isEmpty else { return }
        logs[loop].flush()
    }
}

/// One loop's access log.
private final class LoopLog: Sendable {
    private struct State {
        var log: AccessLog
        var lease: LineLease
    }

    private let state: Lock<State>

    init(_ log: sending AccessLog, _ lease: sending LineLease) { state = Lock(State(log: log, lease: lease)) }

    func append(_ record: AccessLog.Record, target: Span<UInt8>, report: (Int) -> Void) {
        state.withLock { state in
            guard state.lease.take(second: record.time, report: report) else { return }
            state.log.append(record, target: target)
        }
    }

    func flush() { state.withLock { $0.log.flush() } }
}

extension HTTPMethod {
    /// The method in a log line; empty for unknown ones.
    fileprivate var logName: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .purge: "PURGE"
        case .other: ""
        }
    }
}
