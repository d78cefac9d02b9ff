import HTTPKit
import LinuxSystem
import Synchronization

/// Remembers recent, slow and failed requests of the public listener for operators, in bounded memory.
///
/// Each event loop has rings of its own, so their locks are contended only while a page is read. Hits are recorded only while a
/// page is open, and even then a few of them each second; otherwise a hit costs one atomic read. Requests are written on event
/// loops and read on any thread.
final class RequestRecorder: Sendable {
    /// What the recorder remembers, newest first, in seconds and counts that the caller limits further.
    struct Reading: Sendable {
        /// A sample of all requests.
        var recent: [RecordedRequest]
        /// The slowest requests of the last minutes, the slowest first.
        var slowest: [RecordedRequest]
        /// Requests answered with an error.
        var failed: [RecordedRequest]
    }

    fileprivate struct LoopState {
        var recent: RecentRing<RecordedRequest>
        /// Apart from the others, which they would displace.
        var hits: RecentRing<RecordedRequest>
        var failed = RecentRing<RecordedRequest>(capacity: RequestRecorder.mostFailed)
        var slowest: [RecordedRequest] = []
        /// When the next request other than a hit may be added to the recent ones; monotonic nanoseconds.
        var next: Int64 = .min
        /// The same for failures, which other requests must not displace.
        var nextFailure: Int64 = .min
    }

    private final class LoopRings: Sendable {
        let state: Lock<LoopState>
        /// When the next hit may be recorded, in monotonic nanoseconds.
        ///
        /// Written by the loop's thread alone.
        let nextHit = Atomic<Int64>(.min)

        init(capacity: Int) {
            let ring = RecentRing<RecordedRequest>(capacity: capacity)
            state = Lock(LoopState(recent: ring, hits: ring))
        }
    }

    /// The maximum bytes of a recorded target.
    private static let longestTarget = 512
    fileprivate static let mostFailed = 64
    fileprivate static let mostSlow = 24
    /// How long a slow request is remembered.
    private static let slowTime: Int64 = 600_000_000_000
    /// The shortest time between two recorded hits, and two other requests, of a loop.
    private static let hitInterval: Int64 = 15_000_000
    private static let otherInterval: Int64 = 1_000_000

    private let loops: [LoopRings]
    private let time: any TimeSource
    /// Until when hits are recorded, in monotonic nanoseconds; 0 while no page is open.
    private let watchedUntil = Atomic<Int64>(0)

    /// Creates an empty recorder.
    ///
    /// - Parameters:
    ///   - capacity: the most recent requests of each loop, and as many hits; 0 to record nothing.
    ///   - loops: the number of event loops.
    init(capacity: Int, loops: Int, time: any TimeSource) {
        self.time = time
        self.loops = capacity == 0 ? [] : (0..<loops).map { _ in LoopRings(capacity: capacity) }
    }

    /// Records hits for some time from now on, because a page is open.
    func watch(seconds: Int64) {
        let end = time.monotonic + seconds * 1_000_000_000
        if watchedUntil.load(ordering: .relaxed) < end { watchedUntil.store(end, ordering: .relaxed) }
    }

    /// Whether hits are recorded.
    var isWatched: Bool { watchedUntil.load(ordering: .relaxed) != 0 }

    /// Records the end of an exchange; on the loop's thread.
    @inline(__always)
    func finished(_ exchange: ExchangeSummary, _ result: RequestResult, target: Span<UInt8>) {
        if result == .memory || result == .disk, watchedUntil.load(ordering: .relaxed) == 0 { return }
        record(exchange, result, target)
    }

    @inline(never)
    private func record(_ exchange: ExchangeSummary, _ result: RequestResult, _ target: Span<UInt8>) {
        guard exchange.loop < loops.count, exchange.tag != 0 else { return }
        let now = time.monotonic
        let rings = loops[exchange.loop]
        let isHit = result == .memory || result == .disk
        if isHit {
            let end = watchedUntil.load(ordering: .relaxed)
            guard now <= end else {
                // Unless a page has been opened meanwhile.
                _ = watchedUntil.compareExchange(expected: end, desired: 0, ordering: .relaxed)
                return
            }
            guard now >= rings.nextHit.load(ordering: .relaxed) else { return }
            rings.nextHit.store(now + Self.hitInterval, ordering: .relaxed)
        }
        let isFailure = exchange.status >= 400
        let duration = exchange.duration / 1_000
        rings.state.withLock { state in
            let isDue = isHit || now >= (isFailure ? state.nextFailure : state.next)
            let isSlow = state.isSlow(duration, since: now - Self.slowTime)
            guard isDue || isSlow else { return }
            var entry = RecordedRequest(
                end: now,
                second: time.wallSeconds,
                duration: duration,
                bytes: exchange.bytesSent,
                status: Int(exchange.status),
                result: result,
                isComplete: exchange.isComplete,
                target: [],
                timings: (exchange.note as? AnswerNote)?.timings
            )
            for index in 0..<min(target.count, Self.longestTarget) { entry.target.append(target[index]) }
            if isSlow { state.keepSlow(entry) }
            guard isDue else { return }
            guard !isHit else { return state.hits.append(entry) }
            state.recent.append(entry)
            guard isFailure else { return state.next = now + Self.otherInterval }
            state.nextFailure = now + Self.otherInterval
            state.failed.append(entry)
        }
    }

    /// What is remembered of all loops.
    func read() -> Reading {
        let states = loops.map { $0.state.withLock { $0 } }
        let oldest = time.monotonic - Self.slowTime
        let slow = states.flatMap(\.slowest).filter { $0.end > oldest }
        return Reading(
            recent: states.flatMap { $0.recent.ordered + $0.hits.ordered }.sorted { $0.end > $1.end },
            slowest: Array(slow.sorted { $0.duration > $1.duration }.prefix(Self.mostSlow)),
            failed: states.flatMap(\.failed.ordered).sorted { $0.end > $1.end }
        )
    }
}

extension RequestRecorder.LoopState {
    /// Whether a request is among the slowest; drops those that ended before a time.
    fileprivate mutating func isSlow(_ duration: Int64, since oldest: Int64) -> Bool {
        guard slowest.count == RequestRecorder.mostSlow else { return true }
        if slowest.allSatisfy({ $0.duration >= duration }) {
            guard slowest.contains(where: { $0.end <= oldest }) else { return false }
        }
        slowest.removeAll { $0.end <= oldest }
        return true
    }

    /// Adds a request to the slowest, in place of the fastest of them.
    fileprivate mutating func keepSlow(_ request: RecordedRequest) {
        slowest.append(request)
        guard slowest.count > RequestRecorder.mostSlow,
            let fastest = slowest.indices.min(by: { slowest[$0].duration < slowest[$1].duration })
        else { return }
        slowest.remove(at: fastest)
    }
}
