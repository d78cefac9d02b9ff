import LinuxSystem
import Synchronization

/// The thread that runs the completions of jobs that end without a worker, and reviews the queue while jobs wait.
///
/// Jobs end without a worker if they are cancelled, refused or dropped. Callers of the pool may hold locks, so no completion runs on
/// a caller's thread.
final class CompletionThread: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state = Lock(State())
    private let event: WakeEvent
    /// Whether the next review takes place without a signal.
    private let isReviewing = Atomic(false)
    /// Milliseconds between two reviews.
    private static let interval: CInt = 25

    /// Starts the thread.
    ///
    /// - Parameter review: reviews the queue and returns whether to do so again soon.
    init(review: @escaping @Sendable () -> Bool = { false }) throws(Errno) {
        event = try WakeEvent()
        let event = event
        // The thread retains `self` until the pool closes it.
        let body: @Sendable () -> Void = { [self] in
            while true {
                event.wait(upTo: isReviewing.load(ordering: .relaxed) ? Self.interval : -1)
                let (work, isClosed) = state.withLock { state in
                    defer { state.work = [] }
                    return (state.work, state.isClosed)
                }
                for item in work { item() }
                if isClosed { return }
                // A job that arrives after the review finds the flag lowered, and signals.
                isReviewing.store(false, ordering: .sequentiallyConsistent)
                if review() { isReviewing.store(true, ordering: .sequentiallyConsistent) }
            }
        }
        try SystemThread.start(name: "transform-ends", body)
    }

    /// Has the queue reviewed soon, and as long as jobs wait.
    func noteWaiting() {
        if !isReviewing.load(ordering: .sequentiallyConsistent) { event.signal() }
    }

    /// Enqueues `work` to run on the thread, in order.
    func run(_ work: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.work.append(work) }
            return state.isClosed
        }
        if isClosed {
            // The pool is gone, and its thread with it.
            work()
        } else {
            event.signal()
        }
    }

    /// Ends the thread after the queued work.
    func close() {
        state.withLock { $0.isClosed = true }
        event.signal()
    }
}
