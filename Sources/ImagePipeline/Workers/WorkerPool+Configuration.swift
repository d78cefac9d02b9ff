import Glibc
package import ImagePlan
package import LinuxSystem

extension WorkerPool {
    /// The number of workers, their limits, and when one is replaced.
    package struct Configuration: Sendable {
        /// The maximum number of worker processes.
        ///
        /// One per core, and one more for the time that another spends waiting for its source or its next job.
        package var workers: Int
        /// The time without need after which all but one worker end, in milliseconds; workers then start when jobs need them.
        ///
        /// 0 starts all workers with the pool and keeps them.
        package var idleTime = 0
        /// The maximum number of waiting jobs; further jobs fail with `.overloaded`.
        package var queueLimit = 512
        /// The longest wait for a worker, predicted or real, in milliseconds; jobs that would wait longer fail with `.overloaded`.
        package var queueTime = 2_000
        /// The maximum bytes of decoded pixels of all running jobs together, by an upper bound for each; further jobs wait.
        package var decodeBytes = 4 << 30
        /// Where waiting and running jobs, and what they took, are charged to their clients.
        package var accounts = ClientAccounts()
        /// The path of the worker; `nil` for `edgeprint-worker` next to the running executable.
        package var workerPath: String?
        /// The address space of a worker, in bytes; libraries take about 0.16 GiB of it.
        package var addressSpace: Int64 = 3 << 30
        /// The largest result and the largest file that a worker can write, in bytes.
        package var outputLimit = 64 << 20
        /// The maximum number of a worker's open descriptors.
        package var files: Int64 = 64
        /// The processor time of a worker over all its jobs, in seconds: a backstop in addition to the deadlines.
        package var processorSeconds: Int64 = 3600
        /// The number of jobs after which a worker is replaced.
        package var jobsPerWorker = 2_000
        /// The resident size, in bytes, above which a worker is replaced after its job.
        package var residentLimit = 512 << 20
        /// The maximum number of workers replaced per second because their decoder rejected an image, in the long run.
        ///
        /// A worker over it is replaced later, and keeps to its trust domain until then.
        package var errorReplacements = Self.processors
        /// The time between a job's deadline and the kill of its worker, in milliseconds; the worker normally stops by itself.
        package var deadlineGrace = 500
        /// The time that a worker has to stop an abandoned job before it is killed, in milliseconds.
        ///
        /// Most need some milliseconds. A single long call of a library cannot be stopped, but starting a process costs more than a
        /// short rest of one.
        package var abandonGrace = 250
        /// The same while others wait for the worker.
        package var stopGrace = 100
        /// The time that a job always has before it can be ended because it takes four times as long as expected and others wait, in
        /// milliseconds.
        package var shortestRun = 250
        /// The time in which a new worker must greet, in milliseconds.
        package var startTimeout = 10_000
        /// How strictly workers must be confined.
        package var sandbox = SandboxMode.best
        /// Called on a thread of the pool when the confinement that all workers have changes; must not call the pool.
        package var postureChanged: (@Sendable (WorkerPosture) -> Void)?
        /// Called with the reason, on a thread of the pool, when the canary has failed several times under `best`; must not call the pool.
        package var trialFailed: (@Sendable (String) -> Void)?
        /// Called on a thread of the pool for each change of its condition; must not call the pool.
        package var conditionChanged: (@Sendable (Condition) -> Void)?

        /// Creates a configuration with a number of workers, by default one more than there are cores.
        package init(workers: Int? = nil) {
            self.workers = max(1, workers ?? Self.processors + 1)
        }
    }
}

extension WorkerPool.Configuration {
    /// The number of processors online.
    static var processors: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
}

extension TransformSchedule<PendingTransform>.Limits {
    /// Creates the limits of a pool.
    init(_ configuration: WorkerPool.Configuration) {
        self.init(workers: configuration.workers)
        waiting = configuration.queueLimit
        queueTime = Int64(configuration.queueTime) * 1_000_000
        shortestRun = Int64(configuration.shortestRun) * 1_000_000
        bytes = configuration.decodeBytes
    }
}

extension PipelineError {
    /// Creates the error of a job that was not queued.
    ///
    /// - Parameter limit: the longest wait in nanoseconds.
    init(_ refusal: TransformQueue.Refusal, limit: Int64) {
        switch refusal {
        case .closed: self = .cancelled
        case .full: self = .overloaded("the transform queue is full")
        case .late(let wait):
            self = .overloaded(
                "a worker is free in about \(wait / 1_000_000) ms, and requests wait for \(limit / 1_000_000) ms at most"
            )
        }
    }
}
