import Glibc

extension WorkerPool {
    /// How many workers there are, what each may use, and when one is replaced.
    package struct Configuration: Sendable {
        /// Worker processes; one a core, and one more for the time in which one waits for its source or its next job.
        package var workers: Int
        /// Jobs that may wait; one more is answered `.overloaded`.
        package var queueLimit = 512
        /// The worker's executable; `nil`: `edgeprint-worker` beside the running executable.
        package var workerPath: String?
        /// Bytes of address space of a worker: libraries take about 0.16 GiB of it before the first picture.
        package var addressSpace: Int64 = 3 << 30
        /// The largest result, and the largest file that a worker can write, in bytes; never 0 (libvips' Orc writes a temporary file).
        package var outputLimit = 64 << 20
        /// Descriptors of a worker.
        package var files: Int64 = 64
        /// Seconds of processor time of a worker's whole life: a backstop for the day when nobody watches the deadline.
        package var processorSeconds: Int64 = 3600
        /// Jobs after which a worker is replaced.
        package var jobsPerWorker = 2_000
        /// Resident bytes above which a worker is replaced after its job.
        package var residentLimit = 512 << 20
        /// Milliseconds after a job's own deadline until its worker is killed; the worker stops itself before.
        package var deadlineGrace = 500
        /// Milliseconds that an abandoned job may still run before its worker is killed.
        ///
        /// Most jobs end within that time, and a new process costs more than their rest.
        package var abandonGrace = 250
        /// Milliseconds until a new worker must have greeted.
        package var startTimeout = 10_000
        /// Called with each change of the pool's condition, on a thread of the pool; must not call the pool.
        package var conditionChanged: (@Sendable (Condition) -> Void)?

        /// Creates a configuration with one worker a core and one more, or a number of them.
        package init(workers: Int? = nil) {
            self.workers = max(1, workers ?? Self.processors + 1)
        }
    }
}

extension WorkerPool.Configuration {
    /// Processors that are online.
    static var processors: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
}
