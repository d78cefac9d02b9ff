import Glibc
import ImagePlan
import LinuxSystem
import Synchronization

/// One worker slot: a permanent thread that starts a process when one is needed, sends it jobs, watches it and replaces it.
///
/// `run` and everything that it calls run on that thread; any thread may raise `wake`.
final class WorkerDriver: Sendable {
    let index: Int
    let shared: WorkerPool.Shared
    /// Raised when the pool stops or this driver's job is cancelled.
    let wake: WakeEvent

    init(index: Int, shared: WorkerPool.Shared) throws(Errno) {
        self.index = index
        self.shared = shared
        wake = try WakeEvent()
    }

    var isStopping: Bool { shared.isStopping.load(ordering: .sequentiallyConsistent) }

    /// The body of the thread.
    func run() {
        var attempt: Attempt?
        var failures = 0
        // Failures since a worker of any slot last greeted. Only these suggest that no worker can start.
        var unbroken = (failures: 0, greetings: 0)
        var isFilled = index == 0
        noteFilled(isFilled)
        // A start takes tens of milliseconds of processor time; others would delay the first one.
        if !isFilled { while !isStopping, !shared.firstStart.wait(orFor: wake) {} }
        while !isStopping {
            guard isFilled else {
                if shared.vacancies.wait(orFor: wake) { isFilled = shared.vacancies.take() }
                noteFilled(isFilled)
                continue
            }
            let worker: WorkerProcess
            do throws(WorkerStartFailure) {
                worker = if let spare = takeSpare() { spare } else { try start() }
            } catch {
                if index == 0 { shared.firstStart.signal() }
                failures += 1
                let greetings = shared.greetings.load(ordering: .sequentiallyConsistent)
                unbroken = (greetings == unbroken.greetings ? unbroken.failures + 1 : 1, greetings)
                shared.note(error, failures: unbroken.failures)
                if unbroken.failures > WorkerPool.Shared.bearableFailures { failJobs(&attempt) }
                backOff(failures)
                continue
            }
            if index == 0 { shared.firstStart.signal() }
            shared.ready.add(1, ordering: .sequentiallyConsistent)
            shared.noteGreeting()
            let served = serve(worker, &attempt)
            if served != nil { shared.ready.subtract(1, ordering: .relaxed) }
            worker.end()
            note { statistics, index in
                statistics.workers[index].pid = 0
                statistics.workers[index].isFilled = served != nil
            }
            guard let served else {
                isFilled = false
                continue
            }
            // A worker that repeatedly ends before its first reply is restarted with growing delays.
            failures = served > 0 ? 0 : failures + 1
            if failures > 2 { backOff(failures - 1) }
        }
        attempt?.pending.end(.failure(.cancelled))
        // The last driver to end finds whatever another one has left.
        shared.spare.take()?.end()
        shared.ended.signal()
    }

    /// Updates the pool's statistics.
    func note(_ change: (inout WorkerPool.Statistics, Int) -> Void) {
        shared.counts.withLock { change(&$0, index) }
    }

    private func noteFilled(_ isFilled: Bool) {
        note { statistics, index in statistics.workers[index].isFilled = isFilled }
    }

    /// Fails the jobs that wait, if no worker of the pool is ready.
    private func failJobs(_ attempt: inout Attempt?) {
        guard shared.ready.load(ordering: .sequentiallyConsistent) == 0 else { return }
        if let pending = attempt?.pending {
            pending.end(.failure(.noWorker))
            release(pending)
        }
        attempt = nil
        for pending in shared.queue.drain() { pending.end(.failure(.noWorker)) }
    }

    /// Waits before the next start.
    private func backOff(_ failures: Int) { wake.wait(upTo: Self.delay(after: failures)) }

    /// The milliseconds until the next start after some failures in a row: 100 at first, doubling to 5,000.
    static func delay(after failures: Int) -> CInt { CInt(min(5_000, 100 << min(failures - 1, 6))) }

    /// Sends jobs to a worker until it ends or must be replaced.
    ///
    /// - Returns: the number of jobs that it completed, at least 1 if its end does not suggest a broken installation; `nil` if it is
    ///   not needed any more, and `ready` does not count it.
    private func serve(_ worker: WorkerProcess, _ attempt: inout Attempt?) -> Int? {
        var age = WorkerAge()
        while !isStopping {
            // Between jobs: what it has begun may end.
            guard !shared.isOutdated(worker) else { return max(1, age.jobs) }
            if attempt == nil {
                switch waitForJob(worker) {
                case .job(let pending): attempt = Attempt(pending: pending)
                case .nothing: continue
                case .unneeded: return nil
                case .workerGone:
                    note { statistics, _ in statistics.restarts += 1 }
                    return max(1, age.jobs)
                }
            }
            guard let current = attempt else { continue }
            guard mayRun(current.pending, after: age) else { return max(1, age.jobs) }
            shared.spare.refill(spawn)
            guard runJob(current, on: worker, &age) else {
                attempt = current.next
                if attempt == nil { release(current.pending) }
                note { statistics, _ in statistics.restarts += 1 }
                // A worker that crashed on an image does not suggest a broken installation.
                return current.next == nil ? max(1, age.jobs) : age.jobs
            }
            attempt = nil
            release(current.pending)
            if age.mustRetire(pid: worker.pid, shared.configuration) {
                note { statistics, _ in statistics.retirements += 1 }
                return max(1, age.jobs)
            }
            if mustReplace(after: age) { return max(1, age.jobs) }
        }
        return age.jobs
    }

    private func release(_ pending: PendingTransform) {
        shared.noteDemand()
        shared.queue.release(pending)
    }

    private enum Idle {
        case job(PendingTransform)
        case nothing
        case unneeded
        case workerGone
    }

    private func waitForJob(_ worker: WorkerProcess) -> Idle {
        if let pending = takeBackground() { return .job(pending) }
        shared.spare.refill(spawn)
        var entries = [worker.socket, shared.queue.event.descriptor, wake.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let raised = unsafe poll(&entries, nfds_t(entries.count), patience)
        if raised == 0, mustLeave() { return .unneeded }
        guard raised > 0 else { return .nothing }
        if entries[2].revents != 0 { wake.take() }
        // An idle worker sends nothing: it has ended or violates the protocol.
        if entries[0].revents != 0 { return .workerGone }
        if entries[1].revents != 0, let pending = shared.queue.take() { return .job(pending) }
        return .nothing
    }

    /// How long to wait for a job before this worker may have to end, in milliseconds; -1 for as long as it takes.
    private var patience: CInt {
        // The only worker that is ready stays. Another one ends in its place once it has started.
        guard shared.ready.load(ordering: .sequentiallyConsistent) > 1 else { return -1 }
        let now = shared.time.monotonic
        let remaining = shared.population.withLock { $0.remaining(at: now) }
        return remaining.map { CInt(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
    }

    /// Whether this worker must end because fewer have sufficed for long; `ready` does not count it then.
    private func mustLeave() -> Bool {
        // Jobs may have been running for all that time.
        shared.noteDemand()
        let now = shared.time.monotonic
        return shared.population.withLock { population in
            // Another one may be unable to start.
            guard shared.ready.load(ordering: .sequentiallyConsistent) > 1, population.leave(at: now) else {
                return false
            }
            shared.ready.subtract(1, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// Takes a background job if another worker is idle as well, so that one stays free for requests.
    private func takeBackground() -> PendingTransform? {
        shared.queue.hasBackground
            ? shared.queue.takeBackground(ready: shared.ready.load(ordering: .relaxed)) : nil
    }
}

/// What one worker process has done, to decide when to replace it.
struct WorkerAge {
    /// The number of completed jobs.
    var jobs = 0
    /// The time spent on jobs, in nanoseconds.
    var busy: Int64 = 0
    var exposure = WorkerExposure.fresh
    /// Whether a decoder of the process has rejected an image.
    var hasRejected = false
    var niceness = WorkerNiceness.usual

    /// Whether to replace the process now, so that the allocator's fragmentation cannot accumulate.
    func mustRetire(pid: pid_t, _ configuration: WorkerPool.Configuration) -> Bool {
        if niceness != .usual, !WorkerNiceness.isReversible { return true }
        if jobs >= configuration.jobsPerWorker { return true }
        // Encoders use up to two threads; the other half of the processor limit is left to the last job.
        if busy / 1_000_000_000 * 4 >= configuration.processorSeconds { return true }
        return WorkerProcess.residentBytes(of: pid) > configuration.residentLimit
    }
}
