import LinuxSystem
import Synchronization

/// The spans that wait to be sent: bounded, so that an unreachable collector costs a fixed amount of memory; any thread.
final class SpanQueue: Sendable {
    private struct State {
        var spans: [TraceSpan] = []
        var limit: Int
        var isClosed = false
    }

    private let state: Monitor<State>
    private let dropCount = Atomic<Int>(0)

    /// Creates an empty queue.
    ///
    /// - Parameter limit: the maximum number of spans.
    init(limit: Int) { state = Monitor(State(limit: limit)) }

    /// The spans that were not added because the queue was full or closed.
    var dropped: Int { dropCount.load(ordering: .relaxed) }

    /// The number of waiting spans.
    var count: Int { state.withLock { $0.spans.count } }

    /// Sets the maximum number of spans; those that already wait stay.
    func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    /// Adds the spans of one request: all, or none if there is no room for all.
    func add(_ spans: [TraceSpan], wakingAt batch: Int) {
        let (isAdded, count) = state.withLock { state -> (Bool, Int) in
            guard !state.isClosed, state.spans.count + spans.count <= state.limit else { return (false, 0) }
            state.spans += spans
            return (true, state.spans.count)
        }
        guard isAdded else {
            dropCount.wrappingAdd(spans.count, ordering: .relaxed)
            return
        }
        // The sender waits for a first span, and then for a batch.
        if count == spans.count || count >= batch { state.update { _ in } }
    }

    /// Blocks until there is a batch, or until the first span has waited long enough.
    ///
    /// - Parameters:
    ///   - maximum: the number of spans of a batch.
    ///   - nanoseconds: the longest wait after the first span.
    /// - Returns: the oldest spans; `nil` once the queue is closed and empty.
    func next(_ maximum: Int, within nanoseconds: Int64) -> [TraceSpan]? {
        _ = state.wait { $0.isClosed || !$0.spans.isEmpty ? true : nil }
        _ = state.wait(nanoseconds: nanoseconds) { $0.isClosed || $0.spans.count >= maximum ? true : nil }
        return state.withLock { state in
            guard !state.spans.isEmpty else { return state.isClosed ? nil : [] }
            if state.spans.count <= maximum {
                defer { state.spans = [] }
                return state.spans
            }
            defer { state.spans.removeFirst(maximum) }
            return Array(state.spans.prefix(maximum))
        }
    }

    /// Blocks for a time, or until the queue is closed.
    ///
    /// - Returns: whether the queue is closed.
    func pause(nanoseconds: Int64) -> Bool {
        state.wait(nanoseconds: nanoseconds) { $0.isClosed ? true : nil } ?? false
    }

    /// Refuses further spans; those that wait can still be taken.
    func close() { state.update(wakingAll: true) { $0.isClosed = true } }
}
