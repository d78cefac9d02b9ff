import ImagePlan
import LinuxSystem
import Synchronization

extension WorkerProcess {
    /// Waits for the greeting.
    ///
    /// - Parameters:
    ///   - wake: raised when the pool stops.
    ///   - calls: receives the numbers of the system calls that a canary reports before it.
    func greeting(
        of shared: WorkerPool.Shared,
        wake: WakeEvent,
        trapped calls: inout [UInt32]
    ) throws(WorkerStartFailure) -> WorkerGreeting {
        let timeout = shared.configuration.startTimeout
        let limit = shared.time.monotonic + Int64(timeout) * 1_000_000
        while !shared.isStopping.load(ordering: .sequentiallyConsistent) {
            switch receive(until: limit, wake: wake, time: shared.time) {
            case .woken: continue
            case .message(let bytes, let descriptors):
                if let call = try? WorkerMessage.decodeTrapped(bytes), calls.count < WorkerPosture.maximumCalls {
                    calls.append(call)
                    continue
                }
                if descriptors.isEmpty, let greeting = try? WorkerMessage.decodeReady(bytes) { return greeting }
                shared.counts.withLock { $0.violations += 1 }
                throw .foreign
            case .hungUp:
                _ = endAfterHangUp()
                throw .ended(code: exitCode)
            case .late: throw .silent(timeout)
            }
        }
        throw .silent(timeout)
    }
}
