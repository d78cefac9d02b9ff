import Glibc
import LinuxSystem
import Synchronization

/// The worker process that waits to replace another one; at most one for the pool.
///
/// Starting a worker takes tens of milliseconds. A spare has started already when a driver must not use its own worker for the next
/// job. There is none until a job has a trust domain or a decoder has failed.
final class SpareWorker: Sendable {
    private struct State {
        var process: WorkerProcess?
        /// Whether a driver is starting one.
        var isClaimed = false
    }

    private let state = Lock(State())
    private let wanted = Atomic(false)

    /// Whether a driver has reason to expect that a worker must be replaced.
    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    /// Requests that a spare be kept from now on.
    func want() { wanted.store(true, ordering: .relaxed) }

    /// The waiting process; `nil` if there is none.
    var pid: pid_t? { state.withLock { $0.process?.pid } }

    /// Takes the process, which may not have greeted yet; `nil` if there is none.
    func take() -> WorkerProcess? {
        state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
    }

    /// Starts a process with `start` if one is wanted and none waits; a failed start is tried again by a later call.
    ///
    /// The calling thread must outlive the process, as for all workers: call it on a driver's thread.
    func refill(_ start: () throws(Errno) -> WorkerProcess) {
        guard isWanted else { return }
        let isMine = state.withLock { state in
            guard state.process == nil, !state.isClaimed else { return false }
            state.isClaimed = true
            return true
        }
        guard isMine else { return }
        let process: WorkerProcess?
        do throws(Errno) { process = try start() } catch { process = nil }
        state.withLock { state in
            state.isClaimed = false
            state.process = process
        }
    }
}
