import Glibc

/// What one worker process has done and used, for its retirement.
struct WorkerAge {
    /// Jobs answered.
    var jobs = 0
    /// Nanoseconds spent on jobs.
    var busy: Int64 = 0

    /// Whether the process should be replaced now: the allocator's fragmentation, of which users of every peer complain, cannot accumulate.
    func mustRetire(pid: pid_t, _ configuration: WorkerPool.Configuration) -> Bool {
        if jobs >= configuration.jobsPerWorker { return true }
        // Encoders use up to two threads; half of the processor limit leaves the last job its share.
        if busy / 1_000_000_000 * 4 >= configuration.processorSeconds { return true }
        return WorkerProcess.residentBytes(of: pid) > configuration.residentLimit
    }
}
