import Glibc
import LinuxSystem
import Logging
import OriginTransfer
import Synchronization

/// Sends spans to the collector in batches, on a thread of its own.
///
/// A batch that the collector refuses for now (429, 502, 503 or 504), or that cannot be delivered, is repeated with growing pauses or
/// after `Retry-After`, while the queue collects further spans and drops those for which it has no room. Any other refusal drops
/// the batch. See "OTLP/HTTP Response" in the OpenTelemetry protocol's specification.
final class SpanExporter: Sendable {
    /// The counts since the start.
    struct Statistics: Sendable, Hashable {
        /// Spans that the collector has accepted.
        var exported = 0
        /// Spans that were given up after the collector had refused them, or could not be reached.
        var failed = 0
        /// Spans that the collector has rejected within an accepted batch.
        var rejected = 0
        /// Repetitions of a batch.
        var retries = 0
    }

    /// The pauses between repetitions, in milliseconds.
    struct Pauses: Sendable {
        /// The first; each further one is twice as long.
        var first: Int64 = 1_000
        var longest: Int64 = 30_000
        /// The longest `Retry-After` that is waited for.
        var longestAsked: Int64 = 300_000
        /// A batch is given up after this time.
        var total: Int64 = 120_000
        /// A random number from 0 to 1.
        var random: @Sendable () -> Double = { .random(in: 0..<1) }
    }

    /// The outcome of one request.
    private enum Verdict {
        case accepted(rejected: Int)
        /// To be repeated; after a number of seconds if the collector has asked for that.
        case later(String, seconds: Int)
        case refused(String)
    }

    private static let nanosecondsPerMillisecond: Int64 = 1_000_000

    let queue: SpanQueue
    private let settings: Lock<Configuration.Tracing>
    private let pauses: Pauses
    private let logger: Logger
    private let instance: String
    private let counts = Lock(Statistics())
    private let hasEnded = Monitor(false)
    /// The monotonic time at which a shutdown gives up.
    private let deadline = Atomic<Int64>(.max)

    /// Creates an exporter without a thread.
    ///
    /// - Parameter instance: the value of `service.instance.id`.
    init(_ settings: Configuration.Tracing, instance: String, pauses: Pauses = Pauses(), logger: Logger) {
        (self.pauses, self.instance, self.logger) = (pauses, instance, logger)
        self.settings = Lock(settings)
        queue = SpanQueue(limit: settings.queue)
    }

    /// The counts since the start; any thread.
    var statistics: Statistics { counts.withLock { $0 } }

    /// Starts the thread; call it once.
    func start() throws(Errno) {
        try SystemThread.start(name: "traces") { [self] in
            run()
            hasEnded.update(wakingAll: true) { $0 = true }
        }
    }

    /// Applies other settings to the following requests.
    func apply(_ settings: Configuration.Tracing) {
        self.settings.withLock { $0 = settings }
        queue.setLimit(settings.queue)
    }

    /// Sends what waits, for a limited time, and ends the thread; blocks.
    func stop(withinMilliseconds milliseconds: Int) {
        let end = SystemTime().monotonic + Int64(milliseconds) * Self.nanosecondsPerMillisecond
        deadline.store(end, ordering: .relaxed)
        queue.close()
        // The client checks the deadline at least every 100 ms.
        _ = hasEnded.wait(nanoseconds: Int64(milliseconds + 500) * Self.nanosecondsPerMillisecond) { $0 ? true : nil }
    }

    private var isOver: Bool { SystemTime().monotonic >= deadline.load(ordering: .relaxed) }

    private func run() {
        guard let client = PostClient() else { return }
        while true {
            let settings = settings.withLock { $0 }
            let patience = Int64(settings.interval) * Self.nanosecondsPerMillisecond
            guard let batch = queue.next(settings.batch, within: patience) else { return }
            if !batch.isEmpty { deliver(batch, client) }
        }
    }

    /// Sends a batch, repeatedly if need be.
    private func deliver(_ batch: [TraceSpan], _ client: PostClient) {
        let begin = SystemTime().monotonic
        var pause = pauses.first
        var isLast = false
        while true {
            let settings = settings.withLock { $0 }
            guard settings.isOn else { return count { $0.failed += batch.count } }
            switch send(batch, client, settings) {
            case .accepted(let rejected):
                return count {
                    $0.exported += batch.count - min(rejected, batch.count)
                    $0.rejected += min(rejected, batch.count)
                }
            case .refused(let reason):
                return giveUp(batch, reason)
            case .later(let reason, let seconds):
                let waited = (SystemTime().monotonic - begin) / Self.nanosecondsPerMillisecond
                // More than is ever waited for must not overflow.
                let asked = Int64(min(seconds, 1_000_000)) * 1_000
                // A jitter of a half keeps many daemons from repeating at the same time.
                let own = Int64(Double(pause) * (0.5 + 0.5 * pauses.random()))
                let next = asked > 0 ? asked : own
                guard asked <= pauses.longestAsked, waited + (asked > 0 ? 0 : next) < pauses.total else {
                    return giveUp(batch, reason)
                }
                pause = min(pause * 2, pauses.longest)
                if isLast || isOver { return giveUp(batch, reason) }
                // At a shutdown, there is one more attempt.
                isLast = queue.pause(nanoseconds: next * Self.nanosecondsPerMillisecond)
                count { $0.retries += 1 }
            }
        }
    }

    private func giveUp(_ batch: [TraceSpan], _ reason: String) {
        count { $0.failed += batch.count }
        logger.warning("spans were not delivered", metadata: ["spans": "\(batch.count)", "reason": "\(reason)"])
    }

    private func count(_ change: (inout Statistics) -> Void) { counts.withLock { change(&$0) } }

    private func send(_ batch: [TraceSpan], _ client: PostClient, _ settings: Configuration.Tracing) -> Verdict {
        let document = TraceDocument(
            resource: resource(settings.service),
            wallOffset: Self.wallNanoseconds - SystemTime().monotonic
        )
        let outcome = client.post(
            Array(document.text(batch[...]).utf8),
            to: settings.url,
            fields: [
                HeaderField(name: "Content-Type", value: "application/json"),
                HeaderField(name: "User-Agent", value: "Edgeprint/\(Version.text)"),
            ] + settings.headers,
            milliseconds: settings.timeout
        ) {
            isOver
        }
        switch outcome {
        case .answered(200...299, _, let body): return .accepted(rejected: report(body))
        case .answered(let status, let seconds, _) where [429, 502, 503, 504].contains(status):
            return .later("the collector responds with \(status)", seconds: seconds)
        case .answered(let status, _, _): return .refused("the collector responds with \(status)")
        case .failed(let reason): return .later(reason, seconds: 0)
        case .abandoned: return .refused("the daemon stops")
        }
    }

    /// Logs the message of a partial success.
    ///
    /// - Returns: the number of rejected spans.
    private func report(_ body: [UInt8]) -> Int {
        guard let answer = JSONValue(parsing: String(decoding: body, as: UTF8.self)),
            let partial = answer["partialSuccess"]
        else { return 0 }
        let rejected = partial["rejectedSpans"].flatMap { $0.int ?? Int($0.words) } ?? 0
        let message = partial["errorMessage"]?.words ?? ""
        if rejected > 0 || !message.isEmpty {
            logger.warning(
                "the collector has rejected spans",
                metadata: ["spans": "\(rejected)", "reason": "\(message.prefix(200))"]
            )
        }
        return max(0, rejected)
    }

    private func resource(_ service: String) -> [TraceSpan.Attribute] {
        [
            .init("service.name", .text(service)),
            .init("service.version", .text(Version.text)),
            .init("service.instance.id", .text(instance)),
            .init("process.pid", .number(Int(getpid()))),
            .init("telemetry.sdk.name", .text("edgeprint")),
            .init("telemetry.sdk.language", .text("swift")),
            .init("telemetry.sdk.version", .text(Version.text)),
        ]
    }

    private static var wallNanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
