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
