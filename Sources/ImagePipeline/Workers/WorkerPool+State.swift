import Glibc
import LinuxSystem
import Synchronization

extension WorkerPool {
    /// Whether pictures can be made.
    package enum Condition: Hashable, Sendable {
        /// No worker has greeted yet.
        case starting
        /// A worker has greeted, and others take its place when it ends.
        case ready
        /// No worker lives and none can be started; the text names the file, says why and what to do, for operators.
        case failing(String)
    }

    /// Whether pictures can be made now; any thread.
    package var condition: Condition { shared.condition.withLock { $0 } }
}

extension WorkerPool.Shared {
    /// How many starts in a row fail before a pool that had ready workers counts as failing.
    static let bearableFailures = 2

    /// Notes that a worker has greeted; `ready` counts it already.
    func noteGreeting() {
        condition.withLock { change(&$0, to: .ready) }
    }

    /// Notes that a worker did not start.
    ///
    /// - Parameter failures: starts of this slot that have failed in a row, this one included.
    func note(_ failure: WorkerStartFailure, failures: Int) {
        let reason = failure.reason(path: workerPath)
        condition.withLock { condition in
            guard ready.load(ordering: .sequentiallyConsistent) == 0, !isStopping.load(ordering: .relaxed) else {
                return
            }
            // One failed start of many is soon made good; before the first greeting it is likely to be the installation.
            guard condition != .ready || failures > Self.bearableFailures else { return }
            change(&condition, to: .failing(reason))
        }
    }

    /// Under the lock, so that changes are reported in their order.
    private func change(_ condition: inout WorkerPool.Condition, to new: WorkerPool.Condition) {
        guard condition != new else { return }
        condition = new
        configuration.conditionChanged?(new)
    }
}

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
