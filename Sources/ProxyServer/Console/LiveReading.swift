import HTTPCache
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// What the *Live* page shows, read once for all readers of the same second.
struct LiveReading: Sendable {
    /// Monotonic nanoseconds.
    let now: Int64
    let statistics: StatisticsReading
    let requests: RequestRecorder.Reading
    let lanes: [WorkerLane]
    /// The remembered failures with the latest expiry.
    let failures: [RememberedFailure<PipelineError>]
    /// The number of all remembered failures.
    let failureCount: Int
    let warm: [WarmReport]
    /// What sources have stored; `nil` before it was counted.
    let stored: [StoredUse.Source]?
    let sources: [Source]
    /// The counts of the reading before, for rates; `nil` if there is none of the last seconds.
    let previous: Counts?

    /// A configured source, and whether its origin may be contacted.
    struct Source: Hashable, Sendable {
        enum State: String {
            case on, suspended, offline
        }

        /// The full name.
        var name: String
        var state: State
    }

    /// Counts that only grow.
    struct Counts: Hashable, Sendable {
        var now: Int64
        var requests: Int
        var bytes: Int
        /// The microseconds that downloads waited, and their number.
        var queued: Int64
        var answered: Int
    }

    /// The counts of this reading.
    var counts: Counts {
        Counts(
            now: now,
            requests: statistics.metrics.requests.values.reduce(0) { $0 + $1.1 },
            bytes: Int(clamping: statistics.metrics.responseBytes.value),
            queued: statistics.transfers.timing.queued,
            answered: statistics.transfers.answered
        )
    }

    /// The growth of a count per second since the reading before; `nil` without one.
    func rate(_ count: KeyPath<Counts, Int>) -> Double? {
        guard let previous, now > previous.now else { return nil }
        return Double(counts[keyPath: count] - previous[keyPath: count]) / (Double(now - previous.now) / 1e9)
    }

    /// Durations of recorded requests.
    struct Latency: Hashable, Sendable {
        /// The recorded requests.
        var count: Int
        /// Half of them took at most this many microseconds.
        var median: Int64
        /// Of a hundred of them, 99 took at most this many microseconds.
        var slow: Int64
    }

    /// The durations of recorded requests by result.
    var latencies: [RequestResult: Latency] {
        Dictionary(grouping: requests.recent, by: \.result).mapValues { requests in
            let durations = requests.map(\.duration).sorted()
            func rank(_ percent: Int) -> Int64 {
                durations[max(0, (durations.count * percent + 99) / 100 - 1)]
            }
            return Latency(count: durations.count, median: rank(50), slow: rank(99))
        }
    }

    /// The most requested images among the recorded requests, with their numbers.
    func pictures(_ limit: Int) -> [(name: String, count: Int)] {
        var counts: [String: Int] = [:]
        for request in requests.recent where request.status < 400 && request.result != .other {
            counts[ShownTarget.picture(request.target), default: 0] += 1
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(limit).map { ($0.key, $0.value) }
    }
}

/// Reads the parts of a running daemon for the *Live* page; any thread.
final class LiveReader: Sendable {
    private struct State {
        var last: LiveReading?
        var previous: LiveReading.Counts?
    }

    /// A reading as JSON.
    private struct Document {
        var now = Int64.min
        var text = ""
    }

    /// A reading that is younger is shared, in nanoseconds.
    private static let shared: Int64 = 700_000_000
    /// Rates are not computed over longer intervals, in nanoseconds.
    private static let longestInterval: Int64 = 15_000_000_000
    /// The seconds for which hits are recorded after a reading.
    private static let watchSeconds: Int64 = 90
    private static let mostFailures = 20

    let statistics: StatisticsReader
    let recorder: RequestRecorder
    private let stored: StoredUse
    private let state = Lock(State())
    private let rendered = Lock(Document())

    init(statistics: StatisticsReader, recorder: RequestRecorder) {
        self.statistics = statistics
        self.recorder = recorder
        stored = StoredUse(statistics)
    }

    /// Reads, unless another reader has just done so; does not block.
    ///
    /// - Parameter isFresh: whether to read in any case, because something has just been changed.
    func read(isFresh: Bool = false) -> LiveReading {
        let now = statistics.time.monotonic
        recorder.watch(seconds: Self.watchSeconds)
        let (last, previous) = state.withLock { ($0.last, $0.previous) }
        if !isFresh, let last, now - last.now < Self.shared { return last }
        let reading = read(now, after: previous.flatMap { now - $0.now < Self.longestInterval ? $0 : nil })
        state.withLock { state in
            state.last = reading
            state.previous = reading.counts
        }
        return reading
    }

    /// The current reading as JSON, rendered once for all readers; takes milliseconds.
    func document() -> String {
        let reading = read()
        if let text = rendered.withLock({ $0.now == reading.now ? $0.text : nil }) { return text }
        let text = LiveDocument.json(reading).text
        rendered.withLock { $0 = Document(now: reading.now, text: text) }
        return text
    }

    private func read(_ now: Int64, after previous: LiveReading.Counts?) -> LiveReading {
        LiveReading(
            now: now,
            statistics: statistics.read(),
            requests: recorder.read(),
            lanes: statistics.workers.lanes,
            failures: statistics.pipeline.failures.list(limit: Self.mostFailures),
            failureCount: statistics.pipeline.failures.statistics.entries,
            warm: statistics.warmer.reports,
            stored: stored.current(),
            sources: sources,
            previous: previous
        )
    }

    private var sources: [LiveReading.Source] {
        let configuration = statistics.live.current
        let offline = Set(statistics.suspended.offline(in: configuration))
        return configuration.allRules.map { rule in
            let state: LiveReading.Source.State =
                if statistics.suspended.mode(of: rule.name) == .suspended {
                    .suspended
                } else {
                    offline.contains(rule.name) ? .offline : .on
                }
            return LiveReading.Source(name: rule.name, state: state)
        }
    }
}
