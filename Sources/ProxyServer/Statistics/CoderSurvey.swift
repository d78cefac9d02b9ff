import ImagePlan
import LinuxSystem

/// What the workers can decode and encode: asked of a worker of its own when somebody first wants to know, and known from then on.
///
/// Any thread.
final class CoderSurvey: Sendable {
    private enum State {
        case unknown
        /// Who waits for the answer.
        case asking([@Sendable (WorkerCapabilities?) -> Void])
        case known(WorkerCapabilities)
    }

    private let state = Lock(State.unknown)
    private let ask: @Sendable () -> WorkerCapabilities?

    /// - Parameter ask: starts a worker and waits for its answer, on a thread of its own; `nil` where it gives none.
    init(_ ask: @escaping @Sendable () -> WorkerCapabilities?) {
        self.ask = ask
    }

    /// Calls back once: at once where the answer is known, else from another thread; with `nil` where there is none, and the
    /// next one asks again.
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

    private func finish(_ answer: WorkerCapabilities?) {
        let waiting = state.withLock { state -> [@Sendable (WorkerCapabilities?) -> Void] in
            guard case .asking(let waiting) = state else { return [] }
            state = answer.map { .known($0) } ?? .unknown
            return waiting
        }
        for body in waiting { body(answer) }
    }
}
