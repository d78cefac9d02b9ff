import Glibc
import ImagePlan
import LinuxSystem

extension WorkerDriver {
    /// Starts a process and waits for its greeting.
    ///
    /// The first process is a canary. If it finds system calls that the filter does not list, it is replaced, and the next one may
    /// make those that do not lead out of the confinement.
    ///
    /// An early worker is no canary.
    func start(early isEarly: Bool = false) throws(WorkerStartFailure) -> WorkerProcess {
        while true {
            var (arguments, isCanary) = shared.sandboxArguments()
            if isEarly {
                isCanary = false
                arguments = ["--sandbox=best", EarlyWorker.argument]
            }
            let worker: WorkerProcess
            do throws(Errno) { worker = try spawn(arguments) } catch { throw .system(error) }
            own(worker)
            var calls: [UInt32] = []
            let greeting = Result { () throws(WorkerStartFailure) in try self.greeting(of: worker, &calls) }
            // A library may have crashed because the call failed.
            if isCanary, shared.confinement.withLock({ $0.add(calls) }), !isStopping {
                end(worker)
                continue
            }
            do throws(WorkerStartFailure) {
                let greeting = try greeting.get()
                if isCanary { shared.confinement.withLock { $0.isTried = true } }
                try shared.check(greeting.posture)
                shared.note(greeting, of: index)
                return worker
            } catch {
                end(worker)
                throw error
            }
        }
    }

    /// Starts a process that may replace a worker later, if one is wanted; not before a canary has ended.
    func refillSpare() {
        guard shared.isTried else { return }
        shared.spare.refill { () throws(Errno) in try spawn(shared.sandboxArguments().arguments) }
    }

    /// Makes a spare the process of this driver, and waits for its greeting.
    func greeted(_ worker: WorkerProcess) throws(WorkerStartFailure) -> WorkerProcess {
        own(worker)
        do throws(WorkerStartFailure) {
            var calls: [UInt32] = []
            let greeting = try greeting(of: worker, &calls)
            try shared.check(greeting.posture)
            shared.note(greeting, of: index)
            return worker
        } catch {
            end(worker)
            throw error
        }
    }

    private func spawn(_ arguments: [String]) throws(Errno) -> WorkerProcess {
        let worker = try WorkerProcess(
            path: shared.workerPath,
            arguments: arguments,
            configuration: shared.configuration
        )
        note { statistics, _ in statistics.starts += 1 }
        return worker
    }

    /// Tells the statistics whose process this is.
    private func own(_ worker: WorkerProcess) {
        note { statistics, index in
            statistics.workers[index].pid = worker.pid
            statistics.workers[index].jobs = 0
        }
    }

    private func end(_ worker: WorkerProcess) {
        worker.end()
        note { statistics, index in statistics.workers[index].pid = 0 }
    }

    /// Waits for the greeting; `calls` receives the numbers of the system calls that a canary reports before it.
    private func greeting(
        of worker: WorkerProcess,
        _ calls: inout [UInt32]
    ) throws(WorkerStartFailure) -> WorkerGreeting {
        let timeout = shared.configuration.startTimeout
        let limit = shared.time.monotonic + Int64(timeout) * 1_000_000
        while !isStopping {
            switch worker.receive(until: limit, wake: wake, time: shared.time) {
            case .woken: continue
            case .message(let bytes, let descriptors):
                if let call = try? WorkerMessage.decodeTrapped(bytes), calls.count < WorkerPosture.maximumCalls {
                    calls.append(call)
                    continue
                }
                if descriptors.isEmpty, let greeting = try? WorkerMessage.decodeReady(bytes) { return greeting }
                note { statistics, _ in statistics.violations += 1 }
                throw .foreign
            case .hungUp:
                _ = worker.endAfterHangUp()
                throw .ended(code: worker.exitCode)
            case .late: throw .silent(timeout)
            }
        }
        throw .silent(timeout)
    }
}
