import HTTPSemantics

/// The place of a job that waits in an account.
enum TransformPlace: Hashable {
    /// The job at an index of a priority's lane.
    case lane(Int, Int)
    /// The oldest background job.
    case behind
    /// The oldest job that was ended for others.
    case second
}

/// The jobs of one client that wait, and what it has been charged.
///
/// Some hundreds of jobs wait at most, so removal from an array is cheap compared with a transform.
struct TransformAccount<Item> {
    typealias Job = TransformSchedule<Item>.Job
    typealias Limits = TransformSchedule<Item>.Limits

    /// Nanoseconds of worker time, on the schedule's scale.
    var charge: Int64
    /// Running jobs.
    var running = 0
    /// The number of the last start; of accounts that have been charged equally, the one that started longest ago is next.
    var lastStart: UInt64 = 0
    /// By raw value of the priority, oldest first; lane 0 remains empty.
    private var lanes = [[Job]](repeating: [], count: RequestPriority.allCases.count)
    /// Background jobs, oldest first.
    private(set) var behind: [Job] = []
    /// Jobs that were ended for others, oldest first.
    private var seconds: [Job] = []
    /// The expected nanoseconds of all jobs but background jobs.
    private(set) var cost: Int64 = 0
    /// Starts of the newest job since the oldest started.
    private var newestStarts = 0
    /// When the newest jobs did not start first for the last time, as far as `observe` has been called.
    private var calm: Int64

    init(charge: Int64, at now: Int64) {
        self.charge = charge
        calm = now
    }

    /// Whether jobs wait other than background jobs.
    var hasWork: Bool { !seconds.isEmpty || lanes.contains { !$0.isEmpty } }

    /// Whether the jobs are the daemon's, and clients wait for some.
    var takesAll: Bool {
        let first = lanes[RequestPriority.normal.rawValue].first ?? lanes[RequestPriority.high.rawValue].first
        return first.map { $0.account == nil } ?? false
    }

    /// Whether this account's job starts before another's.
    func precedes(_ other: Self) -> Bool { (charge, lastStart, oldest) < (other.charge, other.lastStart, other.oldest) }

    /// The number of the oldest job.
    private var oldest: UInt64 {
        (lanes.compactMap(\.first?.number) + [seconds.first?.number, behind.first?.number].compactMap(\.self)).min()
            ?? 0
    }

    /// The number of waiting background jobs, or of other waiting jobs.
    func count(isBehind: Bool) -> Int {
        isBehind ? behind.count : seconds.count + lanes.reduce(0) { $0 + $1.count }
    }

    /// Whether only jobs of low priority wait here that have not waited for long, in the account of the daemon.
    func isOwnWork(at now: Int64, _ limits: Limits) -> Bool {
        guard lanes[RequestPriority.normal.rawValue].isEmpty, lanes[RequestPriority.high.rawValue].isEmpty,
            seconds.isEmpty
        else { return false }
        return lanes[RequestPriority.low.rawValue].first.map { now - $0.since < limits.queueTime } ?? true
    }

    mutating func insert(_ job: Job) {
        if job.priority == .background {
            behind.append(job)
        } else if job.isSecond {
            seconds.append(job)
            cost = cost.addingCapped(job.cost)
        } else {
            lanes[job.priority.rawValue].append(job)
            cost = cost.addingCapped(job.cost)
        }
    }

    /// A waiting job; `nil` if it does not wait here.
    func job(_ id: UInt64) -> Job? {
        func isWanted(_ job: Job) -> Bool { job.id == id }
        return lanes.lazy.compactMap { $0.first(where: isWanted) }.first ?? behind.first(where: isWanted)
            ?? seconds.first(where: isWanted)
    }

    /// The job at a place.
    func job(at place: TransformPlace) -> Job? {
        switch place {
        case .lane(let lane, let index): lanes[lane][index]
        case .behind: behind.first
        case .second: seconds.first
        }
    }

    /// Removes the job at a place that `first` has returned, to start it.
    mutating func remove(at place: TransformPlace) {
        switch place {
        case .behind: behind.removeFirst()
        case .second: note(removed: seconds.removeFirst())
        case .lane(let lane, let index):
            let isNewest = index == lanes[lane].count - 1 && lanes[lane].count > 1
            newestStarts = isNewest ? newestStarts + 1 : 0
            note(removed: lanes[lane].remove(at: index))
        }
    }

    /// The place of the job that starts next, background jobs aside.
    func first(at now: Int64, _ limits: Limits) -> TransformPlace? {
        let oldest = lanes.compactMap(\.first).min { $0.since < $1.since }
        guard let oldest else { return seconds.isEmpty ? nil : .second }
        if let second = seconds.first, !lanes.contains(where: { $0.contains { $0.number < second.number } }) {
            return .second
        }
        let takesNewest = now - oldest.since > limits.patience && newestStarts < Limits.startsPerOldest - 1
        if takesNewest {
            return lanes.indices.last { !lanes[$0].isEmpty }.map { .lane($0, lanes[$0].count - 1) }
        }
        var best: (rank: Int, since: Int64, lane: Int)?
        for lane in lanes.indices {
            guard let first = lanes[lane].first else { continue }
            let rank = min(
                RequestPriority.high.rawValue,
                lane + Int(clamping: max(0, now - first.since) / limits.ageing)
            )
            if let best, (rank, -first.since, lane) < (best.rank, -best.since, best.lane) { continue }
            best = (rank, first.since, lane)
        }
        return best.map { .lane($0.lane, 0) }
    }

    /// Notes whether the newest jobs start first; to be called after each change.
    mutating func observe(at now: Int64, _ limits: Limits) {
        if crowding(at: now, limits) == 0 { calm = now }
    }

    /// The nanoseconds for which the newest jobs have started first without a break.
    func crowding(at now: Int64, _ limits: Limits) -> Int64 {
        let isCrowded = lanes.contains { $0.first.map { now - $0.since > limits.patience } ?? false }
        return isCrowded ? now - calm : 0
    }

    /// Removes a waiting job.
    mutating func remove(_ id: UInt64) -> Job? {
        if let index = behind.firstIndex(where: { $0.id == id }) { return behind.remove(at: index) }
        if let index = seconds.firstIndex(where: { $0.id == id }) { return note(removed: seconds.remove(at: index)) }
        for lane in lanes.indices {
            guard let index = lanes[lane].firstIndex(where: { $0.id == id }) else { continue }
            return note(removed: lanes[lane].remove(at: index))
        }
        return nil
    }

    /// Removes the oldest of the least urgent jobs.
    mutating func removeLeastUrgent(isBehind: Bool) -> Job? {
        if isBehind { return behind.isEmpty ? nil : behind.removeFirst() }
        if !seconds.isEmpty { return note(removed: seconds.removeFirst()) }
        guard let lane = lanes.firstIndex(where: { !$0.isEmpty }) else { return nil }
        return note(removed: lanes[lane].removeFirst())
    }

    /// Whether `removeExpired` would remove a job.
    func hasExpired(at now: Int64, _ limits: Limits) -> Bool {
        seconds.contains { $0.isExpired(at: now, limits) }
            || lanes.contains { $0.contains { $0.isExpired(at: now, limits) } }
    }

    /// Removes the jobs that have waited for too long, background jobs and the daemon's own aside.
    mutating func removeExpired(at now: Int64, _ limits: Limits) -> [Job] {
        func isLate(_ job: Job) -> Bool { job.isExpired(at: now, limits) }
        var late = seconds.filter(isLate)
        if !late.isEmpty { seconds.removeAll(where: isLate) }
        for lane in lanes.indices where lanes[lane].contains(where: isLate) {
            late += lanes[lane].filter(isLate)
            lanes[lane].removeAll(where: isLate)
        }
        for job in late { note(removed: job) }
        return late
    }

    /// Removes all waiting jobs.
    mutating func removeAll() -> [Job] {
        defer {
            lanes = lanes.map { _ in [] }
            (behind, seconds, cost) = ([], [], 0)
        }
        return lanes.flatMap(\.self) + seconds + behind
    }

    @discardableResult
    private mutating func note(removed job: Job) -> Job {
        cost = max(0, cost - job.cost)
        return job
    }
}

extension TransformSchedule.Job {
    fileprivate func isExpired(at now: Int64, _ limits: TransformSchedule<Item>.Limits) -> Bool {
        !isOwn && now - since >= limits.queueTime
    }
}

/// What accounts without jobs have been charged more than others, so that clients cannot shed it by pausing.
///
/// A debt shrinks by one nanosecond per nanosecond. At most `capacity` are kept; beyond that, the smallest is forgotten.
struct TransformDebts {
    private struct Debt {
        var charge: Int64
        var since: Int64
    }

    static let capacity = 1_024
    private var debts: [String?: Debt] = [:]

    var count: Int { debts.count }

    /// What an account is charged; `Int64.min` if nothing is known.
    func charge(of key: String?, at now: Int64) -> Int64 {
        debts[key].map { $0.charge - max(0, now - $0.since) } ?? .min
    }

    /// Removes an account and returns what it is charged.
    mutating func take(_ key: String?, at now: Int64) -> Int64 {
        defer { debts[key] = nil }
        return charge(of: key, at: now)
    }

    /// Adds an account that has been charged more than `level`.
    mutating func insert(_ key: String?, _ charge: Int64, level: Int64, at now: Int64) {
        if debts.count >= Self.capacity {
            for other in debts.keys where self.charge(of: other, at: now) <= level { debts[other] = nil }
        }
        if debts.count >= Self.capacity {
            let smallest = debts.keys.min { self.charge(of: $0, at: now) < self.charge(of: $1, at: now) }
            if let smallest { debts[smallest] = nil }
        }
        debts[key] = Debt(charge: charge, since: now)
    }
}
