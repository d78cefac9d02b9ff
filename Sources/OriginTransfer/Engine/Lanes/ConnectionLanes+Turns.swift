import HTTPSemantics

/// Transfers that several clients wait for.
extension ConnectionLanes {
    /// What an update has changed.
    enum Change {
        /// A client has been added that waits from now on.
        case joined
        /// Clients have been removed, or are more urgent.
        case adjusted
    }

    /// Adds a transfer of several clients like one of the first; if there is no room for that, of the next one.
    ///
    /// - Parameter claims: the clients in whose turns it may start, at least one.
    mutating func enqueue(
        _ item: Item,
        _ key: Key,
        limit: Int,
        for claims: [Claim],
        since: Int64,
        entered: Int64,
        isAdmitted: Bool
    ) -> Item? {
        for (index, claim) in claims.enumerated() {
            let dropped = enqueue(
                item,
                key,
                limit: limit,
                account: claim.account,
                priority: claim.priority,
                since: since,
                entered: entered,
                isAdmitted: isAdmitted
            )
            if dropped === item { continue }
            let entry = Lane.Client.Entry(item: item, since: since, entered: entered)
            for other in claims[(index + 1)...] { append(entry, key, other) }
            return dropped
        }
        return item
    }

    /// Whether a new transfer of a client is expected to start within the queue's time.
    func admits(_ claim: Claim, to key: Key) -> Bool {
        expectedWait(key, of: claim.account) <= Int64(scheduling.queueTime) * 1_000_000
    }

    /// Adapts the turns in which a waiting transfer may start to the clients that wait for it now.
    ///
    /// What no client has waited for may start in the turn of the first that joins, however late that is.
    ///
    /// - Parameters:
    ///   - claims: the clients, at least one.
    ///   - isLimited: whether a client joins only if its turn is expected to come in time.
    /// - Returns: what has changed; `nil` if nothing, or if the transfer does not wait in the lane.
    @discardableResult
    mutating func update(
        _ item: Item,
        _ key: Key,
        for claims: [Claim],
        isLimited: Bool = false,
        at now: Int64 = 0
    ) -> Change? {
        guard let old = lanes[key]?.accounts(of: item), let one = old.first, let first = claims.first else {
            return nil
        }
        let hadClient = lanes[key]?.priority(of: item, of: one).map { !Claim(one, $0).isOwn } ?? false
        var wanted = claims.filter { claim in
            old.contains(claim.account ?? "") || !isLimited || claim.isOwn || admits(claim, to: key)
        }
        if wanted.isEmpty, !hadClient { wanted = [first] }
        guard !wanted.isEmpty else { return nil }
        var change: Change?
        for claim in wanted {
            let account = claim.account ?? ""
            if !old.contains(account) {
                append(Lane.Client.Entry(item: item, since: now, entered: now), key, claim)
                change = .joined
            } else if let previous = lanes[key]?.raise(item, of: account, to: claim.priority, at: now) {
                counts[previous.rawValue] -= 1
                counts[claim.priority.rawValue] += 1
                change = previous == .background ? .joined : change ?? .adjusted
            }
        }
        for account in old where !wanted.contains(where: { $0.account ?? "" == account }) {
            remove(item, key, from: account)
            change = change ?? .adjusted
        }
        markReady(key)
        return change
    }
}
