import HTTPCache
import LinuxSystem

/// Runs jobs for variants in the background, each in a flight of its own, with limits for each kind of job.
///
/// A key runs once at a time. A job over a limit is dropped, and a later request offers it again. Any thread.
final class BackgroundWork: Sendable {
    /// The kinds of jobs.
    enum Kind: Hashable, Sendable {
        /// Revalidates a stale variant.
        case refresh
        /// Computes an original's placeholder.
        case placeholder
        /// Makes the AVIF of a WebP stand-in.
        case deferred

        /// Returns the key of a job's flight; only a refresh shares the flight of requests.
        fileprivate func key(of request: VariantRequest) -> CacheKey {
            switch self {
            case .refresh: request.key
            case .placeholder: CacheKey(hashing: "placeholder/1\n\(request.key)")
            case .deferred: CacheKey(hashing: "deferred/1\n\(request.key)")
            }
        }
    }

    /// Maximum number of placeholder jobs, which would otherwise fill the transform queue.
    static let maximumPlaceholders = 32
    /// Nanoseconds before a paused key may run again.
    private static let pause: Int64 = 60_000_000_000
    /// Maximum number of paused keys of a kind.
    private static let mostPauses = 1024

    /// Runs a job, which must finish the flight.
    typealias Work = @Sendable (Flight<Answer, PipelineError>) -> Void

    private struct Job: Sendable {
        let kind: Kind
        let request: VariantRequest
        let work: Work
        let dropped: @Sendable () -> Void
    }

    private enum Admission {
        case admitted, known, full
    }

    /// The jobs of one kind.
    private struct Queue: Sendable {
        /// Maximum number of running jobs.
        let limit: Int
        /// Maximum number of waiting jobs; `nil` starts jobs at once or drops them.
        var waitingLimit: Int?
        var running = 0
        var waiting: [Job] = []
        /// The keys of waiting and running jobs; for a kind that does not wait, the pool's flights suffice.
        var keys: Set<CacheKey> = []
        /// Monotonic nanoseconds until which keys are paused.
        var pauses: [CacheKey: Int64] = [:]

        mutating func admit(_ job: Job, now: Int64) -> Admission {
            let key = job.request.key
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

    private let pool: TaskPool<Answer, PipelineError>
    private let time: any TimeSource
    private let queues: Lock<[Kind: Queue]>

    /// Creates the work without jobs.
    ///
    /// - Parameters:
    ///   - pool: starts the jobs' flights, so that purges apply to them.
    ///   - deferredLimit: the maximum number of waiting deferred jobs.
    init(pool: TaskPool<Answer, PipelineError>, deferredLimit: Int, time: any TimeSource) {
        self.pool = pool
        self.time = time
        queues = Lock([
            .refresh: Queue(limit: .max),
            .placeholder: Queue(limit: Self.maximumPlaceholders),
            .deferred: Queue(limit: 1, waitingLimit: deferredLimit),
        ])
    }

    /// Starts or queues a job, unless its key is waiting, running or paused.
    ///
    /// - Parameters:
    ///   - dropped: called if a limit, or another flight of the key, keeps the job from running.
    ///   - work: called at most once, on this thread or on the one that ends an earlier job.
    func offer(
        _ kind: Kind,
        for request: VariantRequest,
        dropped: @escaping @Sendable () -> Void = {},
        work: @escaping Work
    ) {
        let job = Job(kind: kind, request: request, work: work, dropped: dropped)
        let now = time.monotonic
        switch queues.withLock({ $0[kind]?.admit(job, now: now) }) {
        case .admitted: startNext(kind)
        case .full: dropped()
        case .known, nil: break
        }
    }

    /// Pauses a key for a minute.
    func pause(_ kind: Kind, _ key: CacheKey) {
        let now = time.monotonic
        queues.withLock { $0[kind]?.pause(key, now: now) }
    }

    /// Returns the number of waiting jobs.
    func waitingCount(_ kind: Kind) -> Int { queues.withLock { $0[kind]?.waiting.count ?? 0 } }

    /// Sets the maximum number of waiting jobs; applies to new ones.
    func setWaitingLimit(_ limit: Int, of kind: Kind) {
        queues.withLock { $0[kind]?.waitingLimit = limit }
    }

    private func startNext(_ kind: Kind) {
        guard let job = queues.withLock({ $0[kind]?.next() }) else { return }
        let request = job.request
        var isStarted = false
        pool.startUnlessUnderWay(kind.key(of: request), about: PurgeSubject(request)) { flight in
            isStarted = true
            _ = flight.addFirst { [self] _, _ in ended(job) }
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
            queues[job.kind]?.keys.remove(job.request.key)
        }
        startNext(job.kind)
    }
}
