import HTTPCache
import HTTPSemantics
import LinuxSystem

/// The jobs that wait for a worker, in the order of a `TransformSchedule`; any thread.
final class TransformQueue: Sendable {
    private struct State {
        var schedule: TransformSchedule<PendingTransform>
        var correction = CostCorrection()
        var isClosed = false
        /// Drivers that were woken and found no job that may start.
        var disappointed = 0
        var counts = Counts()

        /// The number of drivers to wake because jobs may start that could not before.
        ///
        /// Raised signals and disappointed drivers are together at least as many as waiting jobs.
        mutating func takeDisappointed() -> Int {
            guard schedule.waiting > 0 else {
                disappointed = 0
                return 0
            }
            let waking = min(disappointed, schedule.limits.workers)
            disappointed -= waking
            return waking
        }
    }

    /// What happened since the start.
    private struct Counts {
        var refused = 0
        var dropped = 0
        var overruns = 0
        var busy: Int64 = 0
        var abandoned: Int64 = 0
    }

    /// The state of the queue.
    struct Load: Hashable {
        /// Jobs waiting, background jobs included.
        var jobs: Int
        /// The expected duration of the waiting jobs except background jobs, in milliseconds.
        var milliseconds: Int
        /// How long the next job of a new client would wait, in milliseconds.
        var predictedWait: Int
        /// Clients with waiting jobs.
        var accounts: Int
        /// Jobs refused on arrival.
        var refused: Int
        /// Jobs that were given up while they waited.
        var dropped: Int
        /// Jobs ended for others after four times their expected duration.
        var overruns: Int
        /// Nanoseconds that ended jobs have had a worker.
        var busy: Int64
        /// Of those, nanoseconds after the job's last client had left.
        var abandoned: Int64
    }

    /// The reason why a job was not queued.
    enum Refusal: Error, Hashable {
        case full
        /// A worker would be free only after this many nanoseconds.
        case late(Int64)
        case closed
    }

    /// Raised for each queued job, and for drivers that can start another one; drivers poll it.
    let event: WakeEvent
    private let accounts: ClientAccounts
    private let time: any TimeSource
    private let state: Lock<State>

    /// Creates an empty queue.
    init(
        _ limits: TransformSchedule<PendingTransform>.Limits,
        accounts: ClientAccounts = ClientAccounts(),
        time: any TimeSource
    ) throws(Errno) {
        self.accounts = accounts
        self.time = time
        state = Lock(State(schedule: TransformSchedule(limits, table: accounts)))
        event = try WakeEvent(semaphore: true)
    }

    /// Changes the limits; jobs already waiting or running stay.
    func setLimits(_ change: @Sendable (inout TransformSchedule<PendingTransform>.Limits) -> Void) {
        let waking = state.withLock { state in
            change(&state.schedule.limits)
            return state.takeDisappointed()
        }
        for _ in 0..<waking { event.signal() }
    }

    /// The bytes of decoded pixels of all running jobs, at most.
    var decodedBytes: Int { state.withLock { $0.schedule.bytes } }

    /// The longest wait in nanoseconds.
    var queueTime: Int64 { state.withLock { $0.schedule.limits.queueTime } }

    /// The number of waiting jobs.
    var count: Int { state.withLock { $0.schedule.waiting + $0.schedule.waitingBehind } }

    /// The jobs that could run at once.
    var demand: TransformDemand { state.withLock { TransformDemand(of: $0.schedule) } }

    /// Whether jobs other than background jobs wait.
    var hasWork: Bool { state.withLock { $0.schedule.waiting > 0 } }

    /// Whether jobs other than background jobs wait while no worker is free.
    var isContended: Bool {
        state.withLock { $0.schedule.waiting > 0 && $0.schedule.runs.count >= $0.schedule.limits.workers }
    }

    /// Whether background jobs wait.
    var hasBackground: Bool { state.withLock { $0.schedule.waitingBehind > 0 } }

    /// The current state.
    var load: Load {
        let now = time.monotonic
        return state.withLock { state in
            Load(
                jobs: state.schedule.waiting + state.schedule.waitingBehind,
                milliseconds: Int(state.schedule.waitingCost / 1_000_000),
                predictedWait: Int(state.schedule.predictedWait(for: "", at: now) / 1_000_000),
                accounts: state.schedule.waitingAccounts,
                refused: state.counts.refused,
                dropped: state.counts.dropped,
                overruns: state.counts.overruns,
                busy: state.counts.busy,
                abandoned: state.counts.abandoned
            )
        }
    }

    /// Queues a job at the end of its clients' jobs of the same priority.
    ///
    /// Another client's job may be dropped for it, and useless jobs on workers are ended.
    func append(_ pending: PendingTransform) throws(Refusal) {
        let now = time.monotonic
        let (displaced, stops, waking) = try state.withLock { state throws(Refusal) in
            guard !state.isClosed else { throw .closed }
            let displaced: TransformSchedule<PendingTransform>.Job?
            do throws(TransformSchedule<PendingTransform>.Refusal) {
                displaced = try state.schedule.append(
                    pending.queued(state.correction),
                    for: pending.job.turns,
                    at: now
                )
            } catch {
                state.counts.refused += 1
                switch error {
                case .full: throw .full
                case .late(let wait): throw .late(wait)
                }
            }
            if displaced != nil { state.counts.dropped += 1 }
            // Jobs behind the displaced one may fit where it did not.
            return (displaced, state.schedule.stops(at: now), displaced == nil ? 0 : state.takeDisappointed())
        }
        for _ in 0...waking { event.signal() }
        displaced?.item.drop()
        for run in stops { run.job.item.stop() }
    }

    /// Returns how long a client's next job would wait, and the limit that this exceeds; `nil` if the job would start in time.
    ///
    /// Counted as refused.
    func refusal(of account: String?) -> (wait: Int64, limit: Int64)? {
        let now = time.monotonic
        return state.withLock { state in
            guard let refusal = state.schedule.refusal(of: account, at: now) else { return nil }
            state.counts.refused += 1
            return refusal
        }
    }

    /// Takes the next job; a background job only if it has waited for long.
    ///
    /// The taker must call `release` after the job's last attempt.
    func take() -> PendingTransform? {
        let isSignalled = event.take()
        let now = time.monotonic
        return state.withLock { state in
            if let job = state.schedule.take(at: now) {
                job.item.isExtra = job.priority == .background || state.schedule.running(of: job.account) > 1
                return job.item
            }
            // Without a signal, another driver has it.
            if isSignalled, state.schedule.waiting > 0 { state.disappointed += 1 }
            return nil
        }
    }

    /// Takes the next background job like `take`, unless other jobs wait, or no worker would stay free.
    ///
    /// - Parameter ready: workers that run or could run a job.
    func takeBackground(ready: Int) -> PendingTransform? {
        let now = time.monotonic
        return state.withLock { state in
            guard let job = state.schedule.takeBehind(ready: ready, at: now) else { return nil }
            job.item.isExtra = true
            return job.item
        }
    }

    /// Returns whether a job that a driver has taken is too late to be started; otherwise its duration counts from now on.
    func isTooLate(_ pending: PendingTransform, at now: Int64) -> Bool {
        // Reading the deadline takes locks of requests.
        let deadline = pending.job.deadline.nanoseconds
        return state.withLock { state in
            guard let run = state.schedule.runs[pending.id] else { return false }
            let waited = run.start - pending.arrival
            let isTooLate = state.schedule.isTooLate(waited: waited, cost: run.job.cost, deadline: deadline, at: now)
            if isTooLate { state.counts.dropped += 1 } else { state.schedule.begin(pending.id, at: now) }
            return isTooLate
        }
    }

    /// Charges a taken job for what it took, and queues it again if it was ended for others.
    func release(_ pending: PendingTransform) {
        let now = time.monotonic
        let (isClosed, waking) = state.withLock { state -> (Bool, Int) in
            let run = state.schedule.runs[pending.id]
            let job = run?.job
            let duration = state.schedule.settle(pending.id, at: now)
            if let run, let duration {
                state.counts.busy += duration
                if let abandoned = run.abandoned { state.counts.abandoned += now - max(run.start, abandoned) }
            }
            if let duration, let measure = pending.measure {
                state.correction.observe(duration, pending.estimate, isAtLeast: measure == .atLeast)
            }
            let isQueued = job != nil && pending.isSetBack
            if let job, isQueued, !state.isClosed {
                state.schedule.putBack(job, at: now)
                // Others may have joined it while it was running.
                _ = state.schedule.update(job.id, for: pending.job.turns, at: now)
            }
            if let account = job?.account, let duration {
                accounts.endTransform(of: account, milliseconds: duration / 1_000_000)
            }
            guard isQueued else { return (false, state.takeDisappointed()) }
            state.counts.overruns += 1
            // The signal of the job itself was consumed when it was taken.
            return (state.isClosed, state.takeDisappointed() + 1)
        }
        for _ in 0..<waking { event.signal() }
        if isClosed { pending.endElsewhere(.cancelled) }
    }

    /// Removes a job if it still waits; a running one loses its claim to its worker.
    ///
    /// The signal of a waiting job stays raised; the driver that it wakes finds no job and waits again.
    func remove(_ pending: PendingTransform) {
        let now = time.monotonic
        typealias Stops = [TransformSchedule<PendingTransform>.Run]
        let (stops, waking) = state.withLock { state -> (Stops, Int) in
            guard !state.schedule.remove(pending.id, at: now) else {
                // A job behind it may fit where it did not.
                return ([], state.takeDisappointed())
            }
            state.schedule.abandon(pending.id, at: now)
            return (state.schedule.stops(at: now), 0)
        }
        for run in stops { run.job.item.stop() }
        for _ in 0..<waking { event.signal() }
    }

    /// Adapts the turns in which a waiting job may start to the clients that wait for it now.
    func update(_ pending: PendingTransform) {
        let now = time.monotonic
        let isEarlier = state.withLock { state in
            // With the queue's lock held, so that of several changes the last one counts; nobody takes it with a lock of a request.
            state.schedule.update(pending.id, for: pending.job.turns, at: now)
        }
        // The job's signal may have been consumed by a driver that left it waiting.
        if isEarlier { event.signal() }
    }

    /// Drops the jobs that have waited for too long, and ends running ones that others wait for.
    ///
    /// - Returns: whether jobs wait, so that the call must be repeated.
    func review() -> Bool {
        let now = time.monotonic
        let (late, stops, isWaiting, waking) = state.withLock { state in
            let late = state.schedule.expire(at: now)
            state.counts.dropped += late.count
            // Jobs behind an expired one may fit where it did not.
            let waking = late.isEmpty ? 0 : state.takeDisappointed()
            return (late, state.schedule.stops(at: now), state.schedule.waiting > 0, waking)
        }
        for _ in 0..<waking { event.signal() }
        for job in late { job.item.drop() }
        for run in stops { run.job.item.stop() }
        return isWaiting
    }

    /// Takes all waiting jobs.
    func drain() -> [PendingTransform] {
        let now = time.monotonic
        return state.withLock { $0.schedule.drain(at: now).map(\.item) }
    }

    /// Refuses further jobs and takes all waiting ones.
    func close() -> [PendingTransform] {
        state.withLock { $0.isClosed = true }
        return drain()
    }
}
