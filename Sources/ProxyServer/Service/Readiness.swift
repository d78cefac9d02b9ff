import ImagePipeline
import ImagePlan
import LinuxSystem

/// Whether the server is ready: the listeners are open and workers can be started; any thread.
final class Readiness: Sendable {
    private struct State {
        var isOpen = false
        var workers = WorkerPool.Condition.starting
        var hasBeenReady = false
        var sandbox: SandboxReport

        var isReady: Bool { isOpen && workers == .ready }
    }

    private let state: Monitor<State>

    /// Creates the state of a daemon that is starting.
    ///
    /// - Parameter sandbox: how strictly workers must be confined.
    init(sandbox: SandboxMode = .best) {
        state = Monitor(State(sandbox: SandboxReport(sandbox, nil)))
    }

    /// Blocks until the first worker is ready, or none can be started; returns which.
    func waitForWorkers() -> WorkerPool.Condition {
        state.wait { $0.workers == .starting ? nil : $0.workers } ?? .starting
    }

    /// The last reported confinement of the workers.
    var sandbox: SandboxReport { state.withLock { $0.sandbox } }

    /// Records the confinement of the workers.
    func setSandbox(_ sandbox: SandboxReport) { state.withLock { $0.sandbox = sandbox } }

    /// Whether the server is ready now.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Whether the listeners are open, and draining has not begun.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The last reported condition of the worker pool.
    var workers: WorkerPool.Condition { state.withLock { $0.workers } }

    /// Records that the listeners are open, or that draining begins.
    ///
    /// - Returns: whether the daemon has become ready for the first time.
    @discardableResult
    func setOpen(_ isOpen: Bool) -> Bool { change { $0.isOpen = isOpen } }

    /// Records the worker pool's condition.
    ///
    /// - Returns: whether the daemon has become ready for the first time.
    @discardableResult
    func setWorkers(_ condition: WorkerPool.Condition) -> Bool { change { $0.workers = condition } }

    private func change(_ body: (inout State) -> Void) -> Bool {
        state.update(wakingAll: true) { state in
            body(&state)
            guard state.isReady, !state.hasBeenReady else { return false }
            state.hasBeenReady = true
            return true
        }
    }
}
