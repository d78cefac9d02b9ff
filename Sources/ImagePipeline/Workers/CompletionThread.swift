import LinuxSystem

/// The thread that runs the completions of jobs that end without a worker: cancelled, refused and overflowing jobs.
///
/// Callers of the pool may hold locks, so no completion runs on a caller's thread.
final class CompletionThread: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state = Lock(State())
    private let event: WakeEvent

    /// Starts the thread.
    init() throws(Errno) {
        event = try WakeEvent()
        let event = event
        // The thread retains `self` until the pool closes it.
        let body: @Sendable () -> Void = { [self] in
            while true {
                event.wait()
                let (work, isClosed) = state.withLock { state in
                    defer { state.work = [] }
                    return (state.work, state.isClosed)
                }
                for item in work { item() }
                if isClosed { return }
            }
        }
        try SystemThread.start(name: "transform-ends", body)
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
