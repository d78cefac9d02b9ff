import HTTPCache
import LinuxSystem

/// The variants whose AVIF is to be made when there is time: one at a time, each once, in the order in which they were asked.
///
/// Bounded: who is over the bound is dropped, and wanted again with the next request that gets its stand-in. Any thread.
final class DeferredQueue: Sendable {
    /// How long one that was given up is left alone, in nanoseconds.
    static let pause: Int64 = 60_000_000_000
    /// The most that are remembered as given up.
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
            // So many at once are no fault of any of them.
            if pauses.count >= DeferredQueue.mostPauses { pauses = [:] }
            pauses[key] = time
        }
    }

    /// Takes what became of one; `nil` where there was nothing to do.
    typealias Completion = @Sendable (DeferredStatistics.End?) -> Void
    /// Makes one, and calls back exactly once.
    typealias Work = @Sendable (VariantRequest, @escaping Completion) -> Void

    private let statistics: DeferredStatistics
    private let time: any TimeSource
    private let state: Lock<State>

    /// - Parameter limit: the most that wait.
    init(limit: Int, statistics: DeferredStatistics, time: any TimeSource) {
        self.time = time
        self.statistics = statistics
        state = Lock(State(limit: limit))
    }

    /// Lets another number wait, from the next one on.
    func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    /// Variants that wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Takes a variant in, unless it waits, is under way, or was given up a moment ago.
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
