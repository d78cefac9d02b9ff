import ImagePipeline
import LinuxSystem

/// Whether traffic is welcome: while the listeners are open and workers can make pictures; any thread.
final class Readiness: Sendable {
    private struct State {
        var isOpen = false
        var workers = WorkerPool.Condition.starting
        var hasBeenReady = false

        var isReady: Bool { isOpen && workers == .ready }
    }

    private let state = Lock(State())

    /// Whether traffic is welcome now.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// What the worker pool has said last.
    var workers: WorkerPool.Condition { state.withLock { $0.workers } }

    /// Notes that the listeners are open, or that draining begins.
    ///
    /// - Returns: whether the daemon is ready now for the first time.
    @discardableResult
    func setOpen(_ isOpen: Bool) -> Bool { change { $0.isOpen = isOpen } }

    /// Notes the worker pool's condition.
    ///
    /// - Returns: whether the daemon is ready now for the first time.
    @discardableResult
    func setWorkers(_ condition: WorkerPool.Condition) -> Bool { change { $0.workers = condition } }

    private func change(_ body: (inout State) -> Void) -> Bool {
        state.withLock { state in
            body(&state)
            guard state.isReady, !state.hasBeenReady else { return false }
            state.hasBeenReady = true
            return true
        }
    }
}
