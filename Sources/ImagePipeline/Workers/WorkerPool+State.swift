import Glibc
import ImagePlan
import LinuxSystem
import Synchronization

extension WorkerPool {
    /// Whether the pool can run jobs.
    package enum Condition: Hashable, Sendable {
        /// No worker has greeted yet, or with `require` no canary has passed; jobs run as soon as a worker has greeted.
        case starting
        /// A worker has greeted; a worker that ends is replaced.
        case ready
        /// No worker runs and none can be started; the text states the file, the cause and the remedy.
        case failing(String)
    }

    /// The current condition; any thread.
    package var condition: Condition { shared.condition.withLock { $0 } }
}

extension WorkerPool.Shared {
    /// The number of failed starts of a slot in a row that a pool with earlier ready workers tolerates.
    static let bearableFailures = 2

    /// Records that a worker has greeted; `ready` already counts it.
    func noteGreeting() {
        greetings.add(1, ordering: .sequentiallyConsistent)
        becomeReady()
    }

    /// Records that the canary has passed.
    func notePassed() {
        confinement.withLock { $0.isTrusted = true }
        becomeReady()
    }

    /// Records that the canary could not be started, or that its confinement or its calls are not what the mode demands.
    ///
    /// Only `require` then refuses pictures: each worker has its filter anyway.
    func noteUntried(_ failure: WorkerStartFailure) {
        let reason = failure.reason(path: workerPath)
        guard configuration.sandbox == .require else {
            configuration.trialFailed?(reason)
            return
        }
        condition.withLock { condition in
            guard !isStopping.load(ordering: .relaxed) else { return }
            confinement.withLock { $0.isTrusted = false }
            change(&condition, to: .failing(reason))
        }
    }

    private func becomeReady() {
        condition.withLock { condition in
            guard ready.load(ordering: .sequentiallyConsistent) > 0, confinement.withLock({ $0.isTrusted }) else {
                return
            }
            change(&condition, to: .ready)
        }
    }

    /// Records that a worker did not start.
    ///
    /// - Parameter failures: failed starts of this slot since a worker of any slot last greeted, including this one.
    func note(_ failure: WorkerStartFailure, failures: Int) {
        let reason = failure.reason(path: workerPath)
        condition.withLock { condition in
            guard ready.load(ordering: .sequentiallyConsistent) == 0, !isStopping.load(ordering: .relaxed) else {
                return
            }
            // A single failed start is usually transient; before the first greeting it suggests a broken installation.
            let isFirst = greetings.load(ordering: .sequentiallyConsistent) == 0
            guard isFirst || failures > Self.bearableFailures else { return }
            change(&condition, to: .failing(reason))
        }
    }

    /// Runs under the lock, so that changes are reported in order.
    private func change(_ condition: inout WorkerPool.Condition, to new: WorkerPool.Condition) {
        guard condition != new else { return }
        condition = new
        configuration.conditionChanged?(new)
    }
}

extension WorkerPool {
    /// Counters since the start, and the current state.
    package struct Statistics: Hashable, Sendable {
        /// Jobs that workers completed, including failures.
        package var jobs = 0
        /// Processes started to run jobs, including the first ones.
        package var starts = 0
        /// Processes replaced because they ended, were killed or violated the protocol.
        package var restarts = 0
        /// Processes replaced because of their age or size.
        package var retirements = 0
        /// Processes replaced because the next job had another trust domain.
        package var swaps = 0
        /// Processes replaced because their decoder rejected an image.
        package var errorReplacements = 0
        /// Processes that wait to replace another one: 0 or 1.
        package var spares = 0
        /// Jobs whose image crashed its worker.
        package var decoderCrashes = 0
        /// Of those, jobs whose worker made a system call that the filter does not list.
        package var filterKills = 0
        /// Jobs whose worker was killed after the deadline.
        package var timeouts = 0
        /// Jobs that ran a second time after losing their worker.
        package var retries = 0
        /// Malformed messages and unsealed results.
        package var violations = 0
        /// Workers ready.
        package var ready = 0
        /// Jobs waiting.
        package var queued = 0
        /// The expected duration of the waiting jobs except background jobs, in milliseconds.
        package var queuedMilliseconds = 0
        /// How long the next job of a new client would wait, in milliseconds.
        package var predictedWait = 0
        /// Clients with waiting jobs.
        package var waitingAccounts = 0
        /// Jobs refused on arrival, because they would have waited for too long or too many waited.
        package var refused = 0
        /// Jobs given up while they waited: for too long, too long for their deadline, or because too many waited.
        package var dropped = 0
        /// Jobs ended, to run once more, because they took four times as long as expected while others waited.
        package var overruns = 0
        /// Nanoseconds that ended jobs have had a worker.
        package var busy: Int64 = 0
        /// Of those, nanoseconds after the job's last client had left.
        package var abandoned: Int64 = 0
        /// The bytes of decoded pixels of all running jobs, at most.
        package var decodedBytes = 0
        /// One entry per worker slot.
        package var workers: [Worker] = []

        /// The current state of a worker slot.
        package struct Worker: Hashable, Sendable {
            /// The process id; 0 while no process runs.
            package var pid: Int32
            /// Jobs that the current process completed.
            package var jobs: Int
            package var isBusy: Bool
            package var residentBytes: Int
            /// Whether the slot has a process, or is starting one; others wait until jobs need them.
            package var isFilled = false
        }
    }

    /// The number of jobs that wait for a worker; any thread.
    package var waitingCount: Int { shared.queue.count }

    /// Whether jobs other than background jobs wait while no worker is free; any thread.
    package var isContended: Bool { shared.queue.isContended }

    /// The current statistics; any thread.
    package var statistics: Statistics {
        var result = shared.counts.withLock { $0 }
        let load = shared.queue.load
        result.queued = load.jobs
        result.queuedMilliseconds = load.milliseconds
        result.predictedWait = load.predictedWait
        result.waitingAccounts = load.accounts
        result.refused = load.refused
        result.dropped = load.dropped
        result.overruns = load.overruns
        (result.busy, result.abandoned) = (load.busy, load.abandoned)
        result.decodedBytes = shared.queue.decodedBytes
        result.spares = shared.spare.pid == nil ? 0 : 1
        result.ready = shared.ready.load(ordering: .relaxed)
        for index in result.workers.indices {
            result.workers[index].residentBytes = WorkerProcess.residentBytes(of: result.workers[index].pid)
        }
        return result
    }
}
