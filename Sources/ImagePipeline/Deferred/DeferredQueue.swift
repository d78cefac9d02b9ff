import HTTPCache
import LinuxSystem
import Synchronization

/// A bounded FIFO queue of variants whose AVIF is made in the background, one at a time and each once.
///
/// A variant over the bound is dropped and queued again by the next request that receives its stand-in. Any thread.
final class DeferredQueue: Sendable {
    /// Nanoseconds before an abandoned variant may be queued again.
    static let pause: Int64 = 60_000_000_000
    /// Maximum number of remembered pauses.
    private static let mostPauses = 1024

    private struct State: Sendable {
        var waiting: [VariantRequest] = []
        var known: Set<CacheKey> = []
        var isRunning = false
        var pauses: [CacheKey: Int64] = [:]
        var limit: Int

        mutating func next() -> VariantRequest? {
            guard !isRunning, !waiting.isEmpty else { return nil }
            isRunning = true
            return waiting.removeFirst()
        }

        mutating func pause(_ key: CacheKey, until time: Int64, now: Int64) {
            if pauses.count >= DeferredQueue.mostPauses { pauses = pauses.filter { $0.value > now } }
            // So many abandoned variants have a common cause.
            if pauses.count >= DeferredQueue.mostPauses { pauses = [:] }
            pauses[key] = time
        }
    }

    /// Receives a job's end; `nil` if there was nothing to do.
    typealias Completion = @Sendable (DeferredStatistics.End?) -> Void
    /// Makes one AVIF and calls the completion exactly once.
    typealias Work = @Sendable (VariantRequest, @escaping Completion) -> Void

    private let statistics: DeferredStatistics
    private let time: any TimeSource
    private let state: Lock<State>

    /// - Parameter limit: the maximum number of waiting variants.
    init(limit: Int, statistics: DeferredStatistics, time: any TimeSource) {
        self.time = time
        self.statistics = statistics
        state = Lock(State(limit: limit))
    }

    /// Sets the maximum number of waiting variants; applies to new ones.
    func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    /// Number of waiting variants.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Queues a variant, unless it is already queued or running, or was abandoned recently.
    func want(_ request: VariantRequest, work: @escaping Work) {
        let now = time.monotonic
        let isDropped = state.withLock { state -> Bool in
            guard !state.known.contains(request.key), state.pauses[request.key, default: 0] <= now else { return false }
            guard state.waiting.count < state.limit else { return true }
            state.pauses[request.key] = nil
            state.known.insert(request.key)
            state.waiting.append(request)
            return false
        }
        if isDropped { statistics.note(.dropped) }
        startNext(work)
    }

    private func startNext(_ work: @escaping Work) {
        guard let request = state.withLock({ $0.next() }) else { return }
        work(request) { [self] end in
            if let end { statistics.note(end) }
            let now = time.monotonic
            state.withLock { state in
                state.isRunning = false
                state.known.remove(request.key)
                if end == .abandoned { state.pause(request.key, until: now + Self.pause, now: now) }
            }
            startNext(work)
        }
    }
}

/// Counts the results of deferred AVIFs; any thread.
package final class DeferredStatistics: Sendable {
    /// The end of a deferred AVIF.
    package enum End: Int, Sendable, CaseIterable {
        /// The AVIF replaced the WebP.
        case swapped
        /// The AVIF was not smaller, and the WebP stays permanently.
        case larger
        /// The AVIF could not be made, and the WebP stays permanently.
        case failed
        /// The job ended for a reason outside the picture (a purge, a lost worker, a shutdown); a later request tries again.
        case abandoned
        /// The queue was full; a later request tries again.
        case dropped
    }

    private let standIns = Atomic<UInt64>(0)
    private let ends: [End: Counter]

    private final class Counter: Sendable {
        let count = Atomic<UInt64>(0)
    }

    init() {
        ends = Dictionary(uniqueKeysWithValues: End.allCases.map { ($0, Counter()) })
    }

    /// Number of stand-ins made.
    package var made: UInt64 { standIns.load(ordering: .relaxed) }

    /// The number of AVIFs with an end.
    package subscript(end: End) -> UInt64 { ends[end]?.count.load(ordering: .relaxed) ?? 0 }

    func noteMade() { standIns.add(1, ordering: .relaxed) }
    func note(_ end: End) { ends[end]?.count.add(1, ordering: .relaxed) }
}
