package import LinuxSystem

/// A kind of background jobs, with its limits.
package struct BackgroundKind: Hashable, Sendable {
    /// Separates the flights of this kind from those of requests and of other kinds; `nil` if requests join them.
    fileprivate let prefix: String?
    /// Maximum number of running jobs.
    fileprivate let limit: Int
    /// Maximum number of waiting jobs; `nil` starts jobs at once or drops them.
    fileprivate let waitingLimit: Int?

    /// Revalidates something stale; requests for it join the flight, and the pool's limit of flights applies.
    package static let refresh = BackgroundKind(prefix: nil, limit: .max)

    /// Creates a kind.
    package init(prefix: String?, limit: Int, waitingLimit: Int? = nil) {
        self.prefix = prefix
        self.limit = limit
        self.waitingLimit = waitingLimit
    }

    /// Returns the key of a job's flight.
    fileprivate func flightKey(_ key: CacheKey) -> CacheKey {
        prefix.map { CacheKey(hashing: "\($0)\n\(key)") } ?? key
    }
}

/// Runs jobs in the background, each in a flight of its own, with limits for each kind of job.
///
/// A key runs once at a time. A job over a limit is dropped, and a later request offers it again. Any thread.
package final class BackgroundWork<Value: Sendable, Failure: CacheFailure>: Sendable {
    package typealias Kind = BackgroundKind

    /// Nanoseconds before a paused key may run again.
    private static var pause: Int64 { 60_000_000_000 }
    /// Maximum number of paused keys of a kind.
    private static var mostPauses: Int { 1024 }

    /// Runs a job, which must finish the flight.
    package typealias Work = @Sendable (Flight<Value, Failure>) -> Void

    private struct Job: Sendable {
        let kind: Kind
        let key: CacheKey
        let subject: PurgeSubject
        let work: Work
        let dropped: @Sendable () -> Void
    }

    private enum Admission {
        case admitted, known, full
    }

    /// The jobs of one kind.
    private struct Queue: Sendable {
        let limit: Int
        var waitingLimit: Int?
        var running = 0
        var waiting: [Job] = []
        /// The keys of waiting and running jobs; for a kind that does not wait, the pool's flights suffice.
        var keys: Set<CacheKey> = []
        /// Monotonic nanoseconds until which keys are paused.
        var pauses: [CacheKey: Int64] = [:]

        mutating func admit(_ job: Job, now: Int64) -> Admission {
            let key = job.key
            guard !keys.contains(key), pauses[key, default: 0] <= now else { return .known }
            if let waitingLimit {
                guard waiting.count < waitingLimit else { return .full }
                keys.insert(key)
            } else {
                guard running + waiting.count < limit else { return .full }
            }
            pauses[key] = nil
            waiting.append(job)
            return .admitted
        }

        mutating func next() -> Job? {
            guard running < limit, !waiting.isEmpty else { return nil }
            running += 1
            return waiting.removeFirst()
        }

        mutating func pause(_ key: CacheKey, now: Int64) {
            if pauses.count >= mostPauses { pauses = pauses.filter { $0.value > now } }
            // So many paused keys have a common cause.
            if pauses.count >= mostPauses { pauses = [:] }
            pauses[key] = now + BackgroundWork.pause
        }
    }

    private let pool: TaskPool<Value, Failure>
    private let time: any TimeSource
    private let queues: Lock<[Kind: Queue]>

    /// Creates the work without jobs.
    ///
    /// - Parameters:
    ///   - pool: starts the jobs' flights, so that purges apply to them.
    ///   - kinds: the kinds of jobs that may be offered.
    package init(pool: TaskPool<Value, Failure>, kinds: [Kind], time: any TimeSource) {
        self.pool = pool
        self.time = time
        queues = Lock(
            Dictionary(
                uniqueKeysWithValues: kinds.map { ($0, Queue(limit: $0.limit, waitingLimit: $0.waitingLimit)) }
            )
        )
    }

    /// Starts or queues a job, unless its key is waiting, running or paused.
    ///
    /// - Parameters:
    ///   - key: the key of what the job is for.
    ///   - subject: what purges match the job's flight against.
    ///   - dropped: called if a limit, or another flight of the key, keeps the job from running.
    ///   - work: called at most once, on this thread or on the one that ends an earlier job.
    package func offer(
        _ kind: Kind,
        _ key: CacheKey,
        about subject: PurgeSubject,
        dropped: @escaping @Sendable () -> Void = {},
        work: @escaping Work
    ) {
        let job = Job(kind: kind, key: key, subject: subject, work: work, dropped: dropped)
        let now = time.monotonic
        switch queues.withLock({ $0[kind]?.admit(job, now: now) }) {
        case .admitted: startNext(kind)
        case .full: dropped()
        case .known, nil: break
        }
    }

    /// Revalidates something stale, unless its origin is in back-off or a flight for the key is in progress.
    ///
    /// - Parameters:
    ///   - failures: the remembered failures of origins.
    ///   - failureKey: the key under which those of this origin are remembered.
    package func refresh(
        _ key: CacheKey,
        about subject: PurgeSubject,
        failures: NegativeCache<Failure>,
        _ failureKey: CacheKey,
        work: @escaping Work
    ) {
        guard failures.backoffError(for: failureKey) == nil else { return }
        offer(.refresh, key, about: subject, work: work)
    }

    /// Pauses a key for a minute.
    package func pause(_ kind: Kind, _ key: CacheKey) {
        let now = time.monotonic
        queues.withLock { $0[kind]?.pause(key, now: now) }
    }

    /// Returns the number of waiting jobs.
    package func waitingCount(_ kind: Kind) -> Int { queues.withLock { $0[kind]?.waiting.count ?? 0 } }

    /// Sets the maximum number of waiting jobs; applies to new ones.
    package func setWaitingLimit(_ limit: Int, of kind: Kind) {
        queues.withLock { $0[kind]?.waitingLimit = limit }
    }

    private func startNext(_ kind: Kind) {
        guard let job = queues.withLock({ $0[kind]?.next() }) else { return }
        var isStarted = false
        pool.startUnlessUnderWay(kind.flightKey(job.key), about: job.subject) { flight in
            isStarted = true
            _ = flight.addFirst(FlightWaiter({ [self] _, _ in ended(job) }))
            job.work(flight)
        }
        if !isStarted {
            job.dropped()
            ended(job)
        }
    }

    private func ended(_ job: Job) {
        queues.withLock { queues in
            queues[job.kind]?.running -= 1
            queues[job.kind]?.keys.remove(job.key)
        }
        startNext(job.kind)
    }
}
