import LinuxSystem

/// The thread that ends jobs which no worker ends: cancelled, refused and overflowing ones.
///
/// Callers of the pool may hold locks of their own, so no completion ever runs on their threads.
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
        // The thread holds `self` only through this box, and lets go when the pool closes it.
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

    /// Runs `work` on the thread, soon; in the calling order.
    func run(_ work: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.work.append(work) }
            return state.isClosed
        }
        if isClosed {
            // The pool is gone: there is no thread of its own left to borrow.
            work()
        } else {
            event.signal()
        }
    }

    /// Ends the thread after what is queued.
    func close() {
        state.withLock { $0.isClosed = true }
        event.signal()
    }
}
