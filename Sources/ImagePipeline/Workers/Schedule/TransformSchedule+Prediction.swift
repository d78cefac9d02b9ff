extension TransformSchedule {
    /// The expected nanoseconds of all waiting jobs except background jobs.
    var waitingCost: Int64 {
        let all = accounts.values.reduce(Int64(0)) { $0.addingCapped($1.cost) }
        return max(0, all - copies(for: nil).values.reduce(0) { $0.addingCapped($1) })
    }

    /// The number of accounts with waiting jobs.
    var waitingAccounts: Int { accounts.values.count { $0.hasWork || !$0.behind.isEmpty } }

    /// Returns the nanoseconds until a new job of an account would start.
    ///
    /// Before it start the account's waiting jobs, and of other accounts as much as they have been charged less; all that once
    /// running jobs end. A running job is expected to take as long again once it is over its expected duration.
    func predictedWait(for key: String?, at now: Int64) -> Int64 {
        let account = accounts[key]
        let own = account?.cost ?? 0
        var turn = account?.charge ?? max(level, debts.charge(of: key, at: now))
        if account?.hasWork != true { turn = max(turn, level) }
        turn = turn.addingCapped(own)
        var ahead = own
        // Jobs that wait among those of several accounts count once.
        let copies = copies(for: key)
        for (other, its) in accounts
        where other != key && its.hasWork && !(other == nil && its.isOwnWork(at: now, limits)) {
            // Of accounts that have been charged as much, one job each.
            let one = its.cost / Int64(max(1, its.count(isBehind: false)))
            let earlier = its.charge <= turn ? (turn - its.charge).addingCapped(one) : 0
            ahead = ahead.addingCapped(min(max(0, its.cost - (copies[other] ?? 0)), earlier))
        }
        let all = Self.wait(for: ahead, on: limits.workers, after: runs.values.map { remaining($0, at: now) })
        let mine = runs.values.filter { $0.job.account == key }.map { remaining($0, at: now) }
        let share = key == nil ? limits.workers : max(1, limits.workers - 1)
        return max(all, Self.wait(for: own, on: share, after: mine))
    }

    /// Returns why a new job of an account, whose original is yet to be downloaded, would not start in time; `nil` if it would.
    ///
    /// Once the account's newest jobs have started first for `Limits.queueTime`, most of those that wait are dropped in the end: another
    /// one would only take the place of one of them, which was downloaded in vain. From then on, a job is refused unless its turn comes
    /// within `Limits.patience` after a typical download, until none has been refused for `Limits.queueTime`. Before it come the jobs
    /// whose originals are being downloaded, too: otherwise all requests that arrive during a download would be accepted.
    mutating func refusal(of key: String?, at now: Int64) -> (wait: Int64, limit: Int64)? {
        var wait = predictedWait(for: key, at: now)
        var limit = limits.queueTime
        let isCrowded =
            admissions.hasRefused(key, within: limits.queueTime, of: now)
            || accounts[key].map { $0.crowding(at: now, limits) >= limits.queueTime } ?? false
        if isCrowded {
            // Those of the others take their turns in between.
            let jobs = Int64(admissions.accepted(key, within: limits.queueTime, of: now) * max(1, accounts.count))
            wait = wait.addingCapped(admissions.cost.multipliedCapped(by: jobs) / Int64(limits.workers))
            limit = min(limit, limits.patience.addingCapped(admissions.download))
        }
        guard wait > limit else {
            if isCrowded { admissions.noteAcceptance(of: key, at: now, forgetting: limits.queueTime) }
            return nil
        }
        if isCrowded { admissions.noteRefusal(of: key, at: now, forgetting: limits.queueTime) }
        return (wait, limit)
    }

    /// Returns when one of several workers is free after an amount of work.
    ///
    /// - Parameters:
    ///   - remaining: the nanoseconds for which some of the workers are busy.
    static func wait(for work: Int64, on workers: Int, after remaining: [Int64]) -> Int64 {
        let busy = remaining.sorted().prefix(workers)
        let times = Array(repeating: 0, count: max(0, workers - busy.count)) + busy
        guard var level = times.first else { return 0 }
        var left = work
        for (index, time) in times.enumerated().dropFirst() {
            let room = (time - level).multipliedCapped(by: Int64(index))
            if left < room { return level + left / Int64(index) }
            left -= room
            level = time
        }
        return level.addingCapped(left / Int64(max(1, times.count)))
    }

    private func remaining(_ run: Run, at now: Int64) -> Int64 {
        // These end as soon as another waits.
        guard run.abandoned == nil, !run.isStopping else { return 0 }
        let elapsed = now - run.start
        guard elapsed >= run.job.cost else { return run.job.cost - elapsed }
        let limit = run.job.isSecond ? run.job.limit : min(run.job.limit, longestRun(run.job))
        return min(max(0, elapsed), max(0, limit - elapsed))
    }

    /// The nanoseconds after which a job can be ended for others.
    private func longestRun(_ job: Job) -> Int64 {
        max(limits.shortestRun, job.cost.multipliedCapped(by: Limits.overrun))
    }

    /// Marks a running job as useless.
    mutating func abandon(_ id: UInt64, at now: Int64) {
        if runs[id]?.abandoned == nil { runs[id]?.abandoned = now }
    }

    /// Returns the running jobs that must end now because others wait and no worker is free, at most as many as wait.
    ///
    /// First those with useless results, then those that run for more than four times their expected duration, longest first. Each is
    /// returned once. A job in its second attempt runs to its limit.
    mutating func stops(at now: Int64) -> [Run] {
        guard waiting > 0, runs.count >= limits.workers else { return [] }
        let stopping = runs.values.count(where: \.isStopping)
        let candidates = runs.values.filter { run in
            guard !run.isStopping else { return false }
            return run.abandoned != nil || !run.job.isSecond && now - run.start >= longestRun(run.job)
        }
        .sorted { ($0.rank, $0.start, $0.job.id) < ($1.rank, $1.start, $1.job.id) }
        let stops = candidates.prefix(max(0, waiting - stopping))
        for run in stops { runs[run.job.id]?.isStopping = true }
        return Array(stops)
    }
}

extension TransformSchedule.Run {
    /// Useless jobs end first.
    fileprivate var rank: Int { abandoned == nil ? 1 : 0 }
}
