import Glibc
import ImagePlan
import LinuxSystem

extension WorkerDriver {
    /// Starts a process and waits for its greeting.
    func start() throws(WorkerStartFailure) -> WorkerProcess {
        let worker: WorkerProcess
        do throws(Errno) { worker = try spawn() } catch { throw .system(error) }
        return try greeted(worker)
    }

    /// Makes a process that of this driver, and waits for its greeting.
    func greeted(_ worker: WorkerProcess) throws(WorkerStartFailure) -> WorkerProcess {
        own(worker)
        do throws(WorkerStartFailure) {
            var calls: [UInt32] = []
            let greeting = try worker.greeting(of: shared, wake: wake, trapped: &calls)
            try shared.check(greeting.posture)
            shared.note(greeting, of: index)
            return worker
        } catch {
            end(worker)
            throw error
        }
    }

    /// Starts a process, which this driver or another one may use.
    func spawn() throws(Errno) -> WorkerProcess {
        let worker = try shared.spawn(isCanary: false)
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
}
