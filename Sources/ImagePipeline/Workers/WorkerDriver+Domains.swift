import LinuxSystem

extension WorkerDriver {
    /// Takes the pool's spare process in place of a new one; `nil` if there is none, or it has ended meanwhile.
    func takeSpare() -> WorkerProcess? {
        guard !isStopping, let spare = shared.spare.take() else { return nil }
        do throws(WorkerStartFailure) {
            let worker = try greeted(spare)
            return worker.isConnected ? worker : nil
        } catch {
            // A new process shows whether starts fail altogether.
            return nil
        }
    }

    /// Whether a worker may run a job after all that it has run; if not, it must be replaced.
    func mayRun(_ pending: PendingTransform, after age: WorkerAge) -> Bool {
        // It will not be sent to the worker.
        guard !pending.isAbandoned else { return true }
        let job = pending.job
        guard !age.isEarly || EarlyWorker.canRun(job) else { return false }
        if job.domain != nil { shared.spare.want() }
        guard age.exposure.admits(job.domain) else {
            shared.spare.want()
            note { statistics, _ in statistics.swaps += 1 }
            return false
        }
        return !mustReplace(after: age)
    }

    /// Whether to replace a worker now because its decoder has rejected an image.
    ///
    /// While the budget is spent, the worker goes on with jobs of its domain.
    func mustReplace(after age: WorkerAge) -> Bool {
        guard age.hasRejected else { return false }
        shared.spare.want()
        guard shared.errorReplacements.take(at: shared.time.monotonic) else { return false }
        note { statistics, _ in statistics.errorReplacements += 1 }
        return true
    }
}
