import HTTPSemantics

/// Jobs that several clients wait for.
extension TransformSchedule {
    /// Adapts the turns in which a waiting job may start to the clients that wait for it now.
    ///
    /// A client joins if its turn would come within `Limits.queueTime`, as with a job of its own. What no client has waited for may start in
    /// the turn of the first that joins, however late that is.
    ///
    /// - Parameter claims: the clients, at least one.
    /// - Returns: whether the job may start in other turns than before; `false` if it does not wait.
    @discardableResult
    mutating func update(_ id: UInt64, for claims: [Claim], at now: Int64) -> Bool {
        guard let old = places[id]?.accounts, let first = claims.first,
            let job = old.first.flatMap({ accounts[$0]?.job(id) })
        else { return false }
        charge(at: now)
        var wanted = claims.filter { claim in
            old.contains(claim.account) || claim.isOwn || predictedWait(for: claim.account, at: now) <= limits.queueTime
        }
        if wanted.isEmpty, job.isOwn { wanted = [first] }
        guard !wanted.isEmpty else { return false }
        for account in old where !wanted.contains(where: { $0.account == account }) {
            remove(id, from: account, at: now)
        }
        var isEarlier = false
        for claim in wanted {
            if !old.contains(claim.account) {
                insert(job, for: claim, at: now)
                isEarlier = true
            } else if let own = accounts[claim.account]?.job(id), own.priority < claim.priority, !own.isSecond {
                remove(id, from: claim.account, at: now)
                // The time of waiting behind everybody is not held against it.
                insert(own, for: claim, keepingAge: !own.isOwn, at: now)
                isEarlier = true
            }
        }
        return isEarlier
    }

    private func charge(of account: String?) -> Int64 { accounts[account]?.charge ?? 0 }

    /// How much of each account's waiting jobs is counted among those of a given account, or of one whose turn comes earlier, in nanoseconds.
    func copies(for key: String?) -> [String?: Int64] {
        guard shared > 0 else { return [:] }
        var copies: [String?: Int64] = [:]
        for (accounts, cost) in places.values where accounts.count > 1 {
            let first = accounts.contains(key) ? key : accounts.min { charge(of: $0) < charge(of: $1) }
            for other in accounts where other != first { copies[other] = (copies[other] ?? 0).addingCapped(cost) }
        }
        return copies
    }
}
