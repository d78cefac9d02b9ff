import Glibc
import ImagePlan
import LinuxSystem
import Synchronization

/// Runs a worker that tries every coder under a filter which reports system calls instead of killing, and serves no job.
///
/// It starts once the first worker has greeted, which can serve meanwhile: that one has the killing filter. If the canary finds calls
/// that the filter does not list, all workers are replaced by ones that may make those calls which do not lead out of the confinement.
final class Canary: Sendable {
    private let shared: WorkerPool.Shared
    /// Called when it has found further calls.
    private let found: @Sendable () -> Void
    /// Raised when the pool stops.
    let wake: WakeEvent

    /// - Parameter found: called on the canary's thread when the workers that run must be replaced.
    init(shared: WorkerPool.Shared, found: @escaping @Sendable () -> Void) throws(Errno) {
        self.shared = shared
        self.found = found
        wake = try WakeEvent()
    }

    private var isStopping: Bool { shared.isStopping.load(ordering: .sequentiallyConsistent) }

    /// The milliseconds between the first worker's start and the canary's.
    private static let pause: CInt = 50

    /// The body of its thread: tries until a process has made all trials without a further call.
    func run() {
        defer { shared.ended.signal() }
        while !isStopping, !shared.firstStart.wait(orFor: wake) {}
        // A picture that has waited for the start comes first.
        wake.wait(upTo: Self.pause)
        var failures = 0
        while !isStopping {
            do throws(WorkerStartFailure) {
                if try attempt() { return shared.notePassed() }
                failures = 0
            } catch {
                failures += 1
                // The workers do without it: a process that has ended is no reason to refuse pictures.
                if failures == WorkerPool.Shared.bearableFailures + 1 || !error.isTransient {
                    shared.noteUntried(error)
                }
                wake.wait(upTo: WorkerDriver.delay(after: failures))
            }
        }
    }

    /// Starts a process and waits for its greeting; returns whether it has found no further calls.
    private func attempt() throws(WorkerStartFailure) -> Bool {
        defer { shared.verdict.signal() }
        let process: WorkerProcess
        do throws(Errno) { process = try shared.spawn(isCanary: true) } catch { throw .system(error) }
        defer { process.end() }
        var calls: [UInt32] = []
        let greeting = Result { () throws(WorkerStartFailure) in
            try process.greeting(of: shared, wake: wake, trapped: &calls)
        }
        // Also if the process ended without a greeting: a library may have crashed because the call failed.
        if shared.confinement.withLock({ $0.add(calls) }) {
            found()
            return false
        }
        try shared.check(greeting.get().posture)
        return true
    }
}
