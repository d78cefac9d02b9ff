import HTTPSemantics
import LinuxSystem

/// Decides which transform runs next, which is refused, and which is given up.
///
/// Worker time is shared by deficit round robin over client accounts, in nanoseconds: the account that has been charged least starts
/// next, so that no round in which nobody could start a job is gone through. A job is charged its expected duration when it starts,
/// what it takes beyond that while it runs, and the difference when it ends. An account without waiting jobs gains no credit; what it
/// has been charged too much is forgotten by one nanosecond per nanosecond.
///
/// One account never runs jobs on all workers, so that another's next job need not wait for one of them. Within an account, the most
/// urgent job starts first, and waiting raises urgency. While its oldest job has waited for less than `Limits.patience`, jobs start in
/// the order of their arrival; above, the newest start first, because the clients of the oldest have probably left.
///
/// A job that several clients wait for waits among the jobs of each, starts in the first of their turns, and is charged to that client. It
/// fails when it has been displaced, or has expired, for each of them.
///
/// A value without I/O or clocks: calls state the time, in monotonic nanoseconds.
///
/// Background jobs start only while no other job waits and a worker stays free, or when they have waited for `Limits.longestBehind`. The
/// daemon's own jobs of low priority come after all clients' jobs until they have waited for `Limits.queueTime`.
struct TransformSchedule<Item> {
    /// A job, waiting or running.
    struct Job {
        let id: UInt64
        /// The client among whose jobs it waits, or in whose turn it has started; `nil` for the daemon's own work.
        fileprivate(set) var account: String?
        var priority: RequestPriority
        /// The expected duration in nanoseconds.
        let cost: Int64
        /// The longest permitted duration in nanoseconds.
        var limit = Int64.max
        /// The bytes of decoded pixels while it runs, at most.
        var bytes = 0
        let item: Item
        /// Monotonic nanoseconds from which it waits.
        fileprivate(set) var since: Int64 = 0
        /// The number of jobs that were queued before it.
        fileprivate(set) var number: UInt64 = 0
        /// Whether it has been ended for others once.
        fileprivate(set) var isSecond = false

        init(
            id: UInt64,
            account: String?,
            priority: RequestPriority = .normal,
            cost: Int64,
            limit: Int64 = .max,
            bytes: Int = 0,
            item: Item
        ) {
            self.id = id
            self.account = account
            self.priority = priority
            self.cost = cost
            self.limit = limit
            self.bytes = bytes
            self.item = item
        }

        /// Whether the job can wait: it is the daemon's own, or no client waits for it yet.
        var isOwn: Bool { Claim(account, priority).isOwn }
    }

    /// The reason why a job was not queued.
    enum Refusal: Error, Hashable {
        /// Too many jobs wait, and none of them belongs to an account with more of them.
        case full
        /// It would not start for this many nanoseconds.
        case late(Int64)
    }

    /// A running job.
    struct Run {
        var job: Job
        /// Monotonic nanoseconds from which it has a worker.
        fileprivate(set) var start: Int64
        /// The nanoseconds charged so far.
        var charged: Int64
        /// When its result became useless, in monotonic nanoseconds; `nil` if it is not.
        var abandoned: Int64?
        /// Whether it has been asked to end.
        var isStopping = false
    }

    var limits: Limits
    /// Accounts with waiting or running jobs.
    var accounts: [String?: TransformAccount<Item>] = [:]
    /// Accounts without jobs that have been charged more than others.
    var debts = TransformDebts()
    var admissions = TransformAdmissions()
    var runs: [UInt64: Run] = [:]
    /// The accounts among whose jobs each waiting job is, and what it costs.
    var places: [UInt64: (accounts: [String?], cost: Int64)] = [:]
    /// Jobs that wait among those of several accounts.
    private(set) var shared = 0
    /// Waiting jobs, without background jobs.
    private(set) var waiting = 0
    /// Waiting background jobs.
    private(set) var waitingBehind = 0
    /// The bytes of decoded pixels of all running jobs, at most.
    private(set) var bytes = 0
    /// When a background job last started while others waited, in monotonic nanoseconds.
    private var lastAged: Int64?
    /// What the account of the last started job had been charged before.
    var level: Int64 = 0
    private var jobs: UInt64 = 0
    private var starts: UInt64 = 0
    /// Where the jobs of clients are counted for operators.
    private let table: ClientAccounts?

    init(_ limits: Limits, table: ClientAccounts? = nil) {
        self.limits = limits
        self.table = table
    }

    /// Adds a job of several clients like one of the first; if that is refused, of the next one.
    ///
    /// - Parameter claims: the clients in whose turns it may start, at least one.
    /// - Throws: the refusal of the first.
    mutating func append(_ job: Job, for claims: [Claim], at now: Int64) throws(Refusal) -> Job? {
        var (job, refusal) = (job, Refusal?.none)
        for claim in claims {
            (job.account, job.priority) = (claim.account, claim.priority)
            do throws(Refusal) {
                let displaced = try append(job, at: now)
                _ = update(job.id, for: claims, at: now)
                return displaced
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal ?? .full
    }

    /// Adds a job.
    ///
    /// - Parameter now: monotonic nanoseconds.
    /// - Returns: the job that does not wait any longer because too many do: one of the account with the most.
    /// - Throws: `Refusal`; jobs that no client waits for are not refused because of the time that they would wait.
    mutating func append(_ job: Job, at now: Int64) throws(Refusal) -> Job? {
        charge(at: now)
        if !job.isOwn {
            let wait = predictedWait(for: job.account, at: now)
            guard wait <= limits.queueTime else { throw .late(wait) }
        }
        var displaced: Job?
        let isBehind = job.priority == .background
        if (isBehind ? waitingBehind : waiting) >= limits.waiting {
            displaced = try displace(for: job.account, isBehind: isBehind, at: now)
        }
        if !job.isOwn { admissions.noteJob(of: job.account, cost: job.cost, at: now) }
        insert(job.arriving(as: nextNumber, at: now), at: now)
        return displaced
    }

    private var nextNumber: UInt64 {
        mutating get {
            defer { jobs += 1 }
            return jobs
        }
    }

    /// Starts the next job, unless none waits but background jobs, the accounts that wait have their share of workers, or the next job
    /// exceeds the budget of bytes together with those that run.
    ///
    /// Smaller jobs do not overtake that one, or it might wait forever. It runs until `settle`.
    mutating func take(at now: Int64) -> Job? {
        charge(at: now)
        if let aged = takeAged(at: now) { return aged }
        guard let account = next(at: now), let place = accounts[account]?.first(at: now, limits) else { return nil }
        return start(account, place, at: now)
    }

    /// Starts the next background job, if no other job waits and another worker stays free.
    ///
    /// - Parameter ready: workers that run or could run a job. A pool of one worker runs background jobs when nothing else waits.
    mutating func takeBehind(ready: Int, at now: Int64) -> Job? {
        guard waiting == 0, waitingBehind > 0 else { return nil }
        guard ready - runs.count >= 2 || limits.workers == 1 && runs.isEmpty else { return nil }
        let account = accounts.filter { !$0.value.behind.isEmpty }.min { $0.value.precedes($1.value) }
        return account.flatMap { start($0.key, .behind, at: now) }
    }

    /// Starts the background job that has waited longest although others wait, one at a time and one in `Limits.longestBehind`.
    ///
    /// So prefetches and warming go on under a lasting load, and clients, who wait meanwhile, lose little to them.
    private mutating func takeAged(at now: Int64) -> Job? {
        guard waiting > 0, waitingBehind > 0, !runs.values.contains(where: { $0.job.priority == .background }) else {
            return nil
        }
        var oldest: (key: String?, since: Int64)?
        for (key, account) in accounts where account.running < limits.share(of: account) {
            guard let first = account.behind.first, first.since < oldest?.since ?? .max else { continue }
            oldest = (key, first.since)
        }
        guard let oldest, now - max(oldest.since, lastAged ?? .min) >= limits.longestBehind else { return nil }
        let job = start(oldest.key, .behind, at: now)
        if job != nil { lastAged = now }
        return job
    }

    /// The account whose job starts next.
    private func next(at now: Int64) -> String?? {
        var best: (key: String?, isOwn: Bool)?
        for (key, account) in accounts where account.hasWork && account.running < limits.share(of: account) {
            let isOwn = key == nil && account.isOwnWork(at: now, limits)
            guard let previous = best, let other = accounts[previous.key] else {
                best = (key, isOwn)
                continue
            }
            if isOwn != previous.isOwn ? previous.isOwn : account.precedes(other) { best = (key, isOwn) }
        }
        return best.map(\.key)
    }

    private mutating func start(_ key: String?, _ place: TransformPlace, at now: Int64) -> Job? {
        guard let job = accounts[key]?.job(at: place), runs.isEmpty || bytes + job.bytes <= limits.bytes else {
            return nil
        }
        if let key { table?.add(1, .transforms, to: key) }
        accounts[key]?.running += 1
        accounts[key]?.remove(at: place)
        accounts[key]?.observe(at: now, limits)
        noteRemoval(of: job)
        remove(job.id, at: now)
        bytes += job.bytes
        starts += 1
        accounts[key]?.lastStart = starts
        // Background work of the daemon takes nothing from anybody.
        let isCharged = place != .behind || key != nil
        if isCharged {
            if place != .behind { level = max(level, accounts[key]?.charge ?? 0) }
            accounts[key]?.charge += job.cost
        }
        runs[job.id] = Run(job: job, start: now, charged: isCharged ? job.cost : .max)
        return job
    }

    /// The number of an account's running jobs.
    func running(of account: String?) -> Int { accounts[account]?.running ?? 0 }

    /// Times a taken job anew, because its worker is ready only now.
    mutating func begin(_ id: UInt64, at now: Int64) {
        guard let run = runs[id] else { return }
        runs[id]?.start = now
        runs[id]?.isStopping = false
        if run.charged != .max { runs[id]?.charged = run.job.cost }
    }

    /// Ends a running job and charges what it took.
    ///
    /// - Returns: its duration in nanoseconds; `nil` if it does not run.
    @discardableResult
    mutating func settle(_ id: UInt64, at now: Int64) -> Int64? {
        charge(at: now)
        guard let run = runs.removeValue(forKey: id) else { return nil }
        bytes -= run.job.bytes
        let key = run.job.account
        accounts[key]?.running -= 1
        if run.charged != .max { accounts[key]?.charge += now - run.start - run.charged }
        retire(key, at: now)
        return now - run.start
    }

    /// Queues a job again that was ended for others: it starts after the jobs of its account that wait now, and is not ended again.
    mutating func putBack(_ job: Job, at now: Int64) {
        var job = job.arriving(as: nextNumber, at: now)
        job.isSecond = true
        insert(job, at: now)
    }

    /// Removes a waiting job; `false` if it does not wait.
    @discardableResult
    mutating func remove(_ id: UInt64, at now: Int64) -> Bool {
        guard let accounts = places[id]?.accounts else { return false }
        for account in accounts { remove(id, from: account, at: now) }
        return true
    }

    /// Removes a waiting job from those of an account.
    @discardableResult
    mutating func remove(_ id: UInt64, from account: String?, at now: Int64) -> Job? {
        guard let job = accounts[account]?.remove(id) else { return nil }
        accounts[account]?.observe(at: now, limits)
        noteRemoval(of: job)
        retire(account, at: now)
        return job
    }

    /// Adds a waiting job to those of another account, as its newest; or to those of another priority, where it keeps its age.
    mutating func insert(_ job: Job, for claim: Claim, keepingAge: Bool = false, at now: Int64) {
        var new = keepingAge ? job : job.arriving(as: nextNumber, at: now)
        (new.account, new.priority) = (claim.account, claim.priority)
        insert(new, at: now)
    }

    /// Removes the jobs that have waited for `Limits.queueTime`, oldest first.
    mutating func expire(at now: Int64) -> [Job] {
        guard waiting > 0 else { return [] }
        var expired: [Job] = []
        for (key, account) in accounts where account.hasExpired(at: now, limits) {
            let late = accounts[key]?.removeExpired(at: now, limits) ?? []
            accounts[key]?.observe(at: now, limits)
            for job in late where noteRemoval(of: job) { expired.append(job) }
            retire(key, at: now)
        }
        return expired.sorted { $0.number < $1.number }
    }

    /// Removes all waiting jobs, the most urgent first.
    mutating func drain(at now: Int64) -> [Job] {
        var jobs: [Job] = []
        for key in Array(accounts.keys) {
            for job in accounts[key]?.removeAll() ?? [] where noteRemoval(of: job) { jobs.append(job) }
            retire(key, at: now)
        }
        return jobs.sorted { ($1.priority, $0.number) < ($0.priority, $1.number) }
    }

    private mutating func insert(_ job: Job, at now: Int64) {
        let key = job.account
        var account = accounts.removeValue(forKey: key) ?? TransformAccount(charge: debts.take(key, at: now), at: now)
        if !account.hasWork { account.charge = max(level, account.charge) }
        account.insert(job)
        account.observe(at: now, limits)
        accounts[key] = account
        if let key { table?.add(1, .waitingTransforms, to: key) }
        if places[job.id] == nil {
            places[job.id] = ([], job.cost)
            if job.priority == .background { waitingBehind += 1 } else { waiting += 1 }
        }
        places[job.id]?.accounts.append(key)
        if places[job.id]?.accounts.count == 2 { shared += 1 }
    }

    /// Notes that a job has been removed from those of its account.
    ///
    /// - Returns: whether it does not wait among those of another one either.
    @discardableResult
    private mutating func noteRemoval(of job: Job) -> Bool {
        if let account = job.account { table?.add(-1, .waitingTransforms, to: account) }
        guard var accounts = places[job.id]?.accounts else { return false }
        if accounts.count == 2 { shared -= 1 }
        accounts.removeAll { $0 == job.account }
        guard accounts.isEmpty else {
            places[job.id]?.accounts = accounts
            return false
        }
        places[job.id] = nil
        if job.priority == .background { waitingBehind -= 1 } else { waiting -= 1 }
        return true
    }

    /// Removes a job of the account with the most waiting ones.
    ///
    /// One that another account waits for as well only loses its place in this one.
    private mutating func displace(for newcomer: String?, isBehind: Bool, at now: Int64) throws(Refusal) -> Job? {
        let own = accounts[newcomer]?.count(isBehind: isBehind) ?? 0
        while true {
            let largest = accounts.max {
                ($0.value.count(isBehind: isBehind), $1.value.lastStart)
                    < ($1.value.count(isBehind: isBehind), $0.value.lastStart)
            }
            guard let largest, largest.value.count(isBehind: isBehind) > own + 1,
                let job = accounts[largest.key]?.removeLeastUrgent(isBehind: isBehind)
            else { throw .full }
            accounts[largest.key]?.observe(at: now, limits)
            if noteRemoval(of: job) { return job }
        }
    }

    /// Charges running jobs for what they have taken beyond their expected duration.
    mutating func charge(at now: Int64) {
        for (id, run) in runs where run.charged < now - run.start {
            accounts[run.job.account]?.charge += now - run.start - run.charged
            runs[id]?.charged = now - run.start
        }
    }

    /// Forgets an account without jobs, except for what it has been charged too much.
    private mutating func retire(_ key: String?, at now: Int64) {
        guard let account = accounts[key], account.running == 0, !account.hasWork, account.behind.isEmpty else {
            return
        }
        accounts[key] = nil
        if account.charge > level { debts.insert(key, account.charge, level: level, at: now) }
    }
}

extension TransformSchedule.Job {
    /// The job as one that waits from now on.
    fileprivate func arriving(as number: UInt64, at now: Int64) -> Self {
        var job = self
        (job.number, job.since) = (number, now)
        return job
    }
}
