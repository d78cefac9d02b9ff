import Glibc
import LinuxSystem
import Synchronization

extension WorkerPool {
    /// Counts since the start, and the state now; for metrics.
    package struct Statistics: Hashable, Sendable {
        /// Jobs that a worker has answered, failures included.
        package var jobs = 0
        /// Processes started, the first ones included.
        package var starts = 0
        /// Processes replaced because they had ended, were killed, or misbehaved.
        package var restarts = 0
        /// Processes replaced for their age or size.
        package var retirements = 0
        /// Jobs whose picture ended its worker.
        package var deadly = 0
        /// Jobs whose worker was killed at the deadline.
        package var timeouts = 0
        /// Jobs that ran a second time, since their worker was lost.
        package var retries = 0
        /// Messages of workers that were malformed or results that were not sealed.
        package var violations = 0
        /// Workers that have greeted and live.
        package var ready = 0
        /// Jobs that wait.
        package var queued = 0
        /// One entry a slot.
        package var workers: [Worker] = []

        /// One worker slot now.
        package struct Worker: Hashable, Sendable {
            /// 0 while none runs.
            package var pid: Int32
            /// Jobs of the present process.
            package var jobs: Int
            package var isBusy: Bool
            package var residentBytes: Int
        }
    }

    /// Reads the counts; any thread.
    package var statistics: Statistics {
        var result = shared.counts.withLock { $0 }
        result.queued = shared.queue.count
        result.ready = shared.ready.load(ordering: .relaxed)
        for index in result.workers.indices {
            result.workers[index].residentBytes = WorkerProcess.residentBytes(of: result.workers[index].pid)
        }
        return result
    }
}
