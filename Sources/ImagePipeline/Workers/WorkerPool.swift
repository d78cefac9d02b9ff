import Glibc
package import ImagePlan
package import LinuxSystem
import Synchronization

/// Runs transform jobs in `edgeprint-worker` processes, with a bounded queue and one permanent driver thread per process.
///
/// The first process starts with the pool, the others with the jobs that need them (`WorkerPopulation`). A `Canary` follows the first.
///
/// Clients share the workers as `TransformSchedule` decides. Any thread.
///
/// A job whose image crashes its worker fails with `.crashedDecoder`. A job whose worker is lost otherwise runs once more on a new worker
/// and then fails with `.workerLost`. If no worker can be started, jobs fail with `.noWorker`. Cancelling a running job runs its
/// completion at once; its worker is told to stop, and is killed if it has not after `abandonGrace`, or after `stopGrace` while
/// other jobs wait and no worker is free.
package final class WorkerPool: Transforming {
    /// The state that the pool's threads share; the threads do not retain the pool itself.
    final class Shared: Sendable {
        let configuration: Configuration
        let workerPath: String
        let time: any TimeSource
        let queue: TransformQueue
        let counts: Lock<Statistics>
        /// What each slot has run lately.
        let lanes: Lock<[WorkerLane]>
        /// The process that replaces the next one.
        let spare = SpareWorker()
        let errorReplacements: ReplacementBudget
        let isStopping = Atomic(false)
        /// Workers ready.
        let ready = Atomic(0)
        /// The number of greetings (`WorkerGreeting`) since the pool was started.
        let greetings = Atomic(0)
        let condition = Lock(Condition.starting)
        let confinement: Lock<Confinement>
        /// The formats that the last worker to greet can encode, as bits by `ImageFormat.rawValue`; all before the first one.
        let encodedFormats = Atomic<UInt32>(.max)
        /// How many processes run.
        let population: Lock<WorkerPopulation>
        /// Raised for each process to start; drivers without one take it.
        let vacancies: WakeEvent
        /// Raised once the first start has succeeded or failed, and never lowered.
        let firstStart: WakeEvent
        /// Raised once the first canary has ended, and never lowered; from the start on without a sandbox.
        let verdict: WakeEvent
        /// Raised once by each driver, and by the canary's thread, when they end.
        let ended: WakeEvent

        init(_ configuration: Configuration, workerPath: String, time: any TimeSource) throws(Errno) {
            self.configuration = configuration
            self.workerPath = workerPath
            self.time = time
            errorReplacements = ReplacementBudget(
                perSecond: configuration.errorReplacements,
                burst: 2 * configuration.workers,
                at: time.monotonic
            )
            queue = try TransformQueue(
                TransformSchedule.Limits(configuration),
                accounts: configuration.accounts,
                time: time
            )
            population = Lock(
                WorkerPopulation(
                    slots: configuration.workers,
                    idle: WorkerPool.nanoseconds(idle: configuration.idleTime),
                    at: time.monotonic
                )
            )
            vacancies = try WakeEvent(semaphore: true)
            firstStart = try WakeEvent()
            verdict = try WakeEvent()
            // There is no canary.
            if configuration.sandbox == .off { verdict.signal() }
            ended = try WakeEvent(semaphore: true)
            confinement = Lock(Confinement(workers: configuration.workers, configuration.sandbox))
            var statistics = Statistics()
            statistics.workers = Array(
                repeating: Statistics.Worker(pid: 0, jobs: 0, isBusy: false, residentBytes: 0),
                count: configuration.workers
            )
            counts = Lock(statistics)
            lanes = Lock(Array(repeating: WorkerLane(), count: configuration.workers))
        }

        /// Starts processes if there are fewer than jobs need; call it when jobs are queued, while they wait, since other clients may join
        /// them, and before they are released.
        func noteDemand() {
            let demand = queue.demand
            let missing = population.withLock { $0.need(demand, at: time.monotonic) }
            for _ in 0..<missing { vacancies.signal() }
        }
    }

    let shared: Shared
    private let drivers: [WorkerDriver]
    /// `nil` without a sandbox.
    private let canary: Canary?
    private let ends: CompletionThread
    private let nextID = Atomic<UInt64>(1)
    private let isStopped = Lock(false)

    /// Starts the threads, which start the workers: the first one, and unless `idleTime` is set all others.
    ///
    /// - Throws: `Errno` if descriptors or threads run out.
    package init(_ configuration: Configuration, time: any TimeSource = SystemTime()) throws(Errno) {
        let path: String
        if let configured = configuration.workerPath { path = configured } else { path = try Self.siblingPath() }
        let shared = try Shared(configuration, workerPath: path, time: time)
        self.shared = shared
        ends = try CompletionThread {
            shared.noteDemand()
            return shared.queue.review()
        }
        var drivers: [WorkerDriver] = []
        for index in 0..<configuration.workers {
            try drivers.append(WorkerDriver(index: index, shared: shared))
        }
        self.drivers = drivers
        var canary: Canary?
        if configuration.sandbox != .off {
            canary = try Canary(shared: shared) { [drivers] in
                for driver in drivers { driver.wake.signal() }
            }
        }
        self.canary = canary
        shared.noteDemand()
        for (index, driver) in drivers.enumerated() {
            try SystemThread.start(name: "transform-\(index)") { driver.run() }
        }
        if let canary { try SystemThread.start(name: "canary") { canary.run() } }
    }

    deinit {
        // Without waiting: the last reference may be released on one of the pool's own threads.
        close()
        ends.close()
    }

    package func transform(
        _ job: TransformJob,
        completion: @escaping @Sendable (Result<TransformResult, PipelineError>) -> Void
    ) -> any TransformHandle {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
        let encoded = Result { () throws(WorkerMessageError) in try job.message(id: id).encoded() }
        let pending = PendingTransform(
            id: id,
            message: (try? encoded.get()) ?? [],
            job: job,
            arrival: shared.time.monotonic,
            queue: shared.queue,
            ends: ends,
            completion: completion
        )
        if case .failure(let error) = encoded {
            pending.endElsewhere(.refused("the job cannot be described to a worker: \(error)"))
            return pending
        }
        if case .failing = condition {
            pending.endElsewhere(.noWorker)
            return pending
        }
        do throws(TransformQueue.Refusal) {
            try shared.queue.append(pending)
        } catch {
            pending.endElsewhere(PipelineError(error, limit: shared.queue.queueTime))
            return pending
        }
        shared.noteDemand()
        if shared.queue.hasWork { ends.noteWaiting() }
        return pending
    }

    package func refusal(of account: String?) -> PipelineError? {
        shared.queue.refusal(of: account).map { PipelineError(.late($0.wait), limit: $0.limit) }
    }

    package var isLoaded: Bool {
        let busy = shared.counts.withLock { $0.workers.count(where: \.isBusy) }
        return busy + shared.queue.count >= Configuration.processors
    }

    package var hasBackground: Bool { shared.configuration.workers > 1 }

    package func encodes(_ format: ImageFormat) -> Bool {
        shared.encodedFormats.load(ordering: .relaxed) >> UInt32(format.rawValue) & 1 == 1
    }

    /// Stops all workers and waits until they have ended; waiting and running jobs fail with `.cancelled`.
    ///
    /// Must not be called from a completion.
    package func stop() {
        close()
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            for _ in 0..<drivers.count + (canary == nil ? 0 : 1) { shared.ended.wait() }
            isStopped = true
        }
    }

    /// Sets the maximum number of jobs that wait for a worker; applies to new jobs.
    package func setQueueLimit(_ limit: Int) { shared.queue.setLimits { $0.waiting = limit } }

    /// Sets the longest wait for a worker, predicted or real, in milliseconds; applies to waiting and new jobs.
    package func setQueueTime(_ milliseconds: Int) {
        shared.queue.setLimits { $0.queueTime = Int64(milliseconds) * 1_000_000 }
    }

    /// Sets the maximum bytes of decoded pixels of all running jobs; applies to jobs that start later.
    package func setDecodeBudget(_ bytes: Int) { shared.queue.setLimits { $0.bytes = bytes } }

    /// Sets the time without need after which all but one worker end, in milliseconds; 0 keeps all running.
    package func setIdleTime(_ milliseconds: Int) {
        shared.population.withLock { $0.idle = Self.nanoseconds(idle: milliseconds) }
        shared.noteDemand()
        // They wait for as long as the former time.
        for driver in drivers { driver.wake.signal() }
    }

    fileprivate static func nanoseconds(idle milliseconds: Int) -> Int64? {
        milliseconds > 0 ? Int64(milliseconds) * 1_000_000 : nil
    }

    private func close() {
        shared.isStopping.store(true, ordering: .sequentiallyConsistent)
        for pending in shared.queue.close() { pending.endElsewhere(.cancelled) }
        for driver in drivers { driver.wake.signal() }
        canary?.wake.signal()
    }

    /// The path of `edgeprint-worker` next to the running executable.
    package static func siblingPath() throws(Errno) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try checked("readlink") { unsafe readlink("/proc/self/exe", &buffer, buffer.count) }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        return folder + "/edgeprint-worker"
    }
}
