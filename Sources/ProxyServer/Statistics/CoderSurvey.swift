import ImagePlan
import LinuxSystem
import Synchronization

/// The formats that workers can decode and encode, queried once from a dedicated worker, on first use; any thread.
final class CoderSurvey: Sendable {
    private enum State {
        case unknown
        /// The callbacks that wait for the result.
        case asking([@Sendable (WorkerCapabilities?) -> Void])
        case known(WorkerCapabilities)
    }

    private let state = Lock(State.unknown)
    private let hasTried = Atomic<Bool>(false)
    private let ask: @Sendable () -> WorkerCapabilities?

    /// - Parameter ask: starts a worker and waits for its reply; `nil` if there is none. Called on a dedicated thread.
    init(_ ask: @escaping @Sendable () -> WorkerCapabilities?) {
        self.ask = ask
    }

    /// Calls back once: immediately if the result is known, else from another thread.
    ///
    /// The result is `nil` if the worker failed; the next call then starts another one.
    func whenKnown(_ body: @escaping @Sendable (WorkerCapabilities?) -> Void) {
        let (known, isFirst) = state.withLock { state -> (WorkerCapabilities?, Bool) in
            switch state {
            case .known(let answer): return (answer, false)
            case .asking(let waiting):
                state = .asking(waiting + [body])
                return (nil, false)
            case .unknown:
                state = .asking([body])
                return (nil, true)
            }
        }
        if let known { return body(known) }
        guard isFirst else { return }
        do throws(Errno) {
            try SystemThread.start(name: "coders") { [self] in finish(ask()) }
        } catch {
            finish(nil)
        }
    }

    /// The result, if it is known; does not block.
    var known: WorkerCapabilities? {
        state.withLock { if case .known(let answer) = $0 { answer } else { nil } }
    }

    /// Starts the query unless this was called before, also if the query failed.
    func tryOnce() {
        if !hasTried.exchange(true, ordering: .relaxed) { whenKnown { _ in } }
    }

    private func finish(_ answer: WorkerCapabilities?) {
        let waiting = state.withLock { state -> [@Sendable (WorkerCapabilities?) -> Void] in
            guard case .asking(let waiting) = state else { return [] }
            state = answer.map { .known($0) } ?? .unknown
            return waiting
        }
        for body in waiting { body(answer) }
    }
}
