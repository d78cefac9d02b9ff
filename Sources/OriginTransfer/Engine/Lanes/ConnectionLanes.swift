import HTTPSemantics
import LinuxSystem

/// Schedules transfers: fairly between clients, then by priority and age; with limits per lane, per host and in total.
///
/// A lane is a pair of source and origin, and gives its connections to clients in turn (`ConnectionLane`). While the limits over all
/// lanes bind, the lanes of the client that holds the fewest connections come first, then lanes in turn. A priority orders the work
/// of one client, except that background work comes after all other work until it has waited for long. One client never uses
/// the last connection of a lane with several, nor the last transfer of a limit over all lanes.
///
/// A transfer that several clients wait for starts in the first of their turns, and is charged to that client. It leaves the queue
/// when it has been dropped for each of them.
///
/// Under overload the newest start first, because the clients of the oldest have probably left; every eighth start then takes the
/// oldest, so that these still advance. Performs no I/O; the transfer thread owns it.
struct ConnectionLanes<Item: AnyObject> {
    /// A source, and the scheme, host and port of an origin.
    struct Key: Hashable {
        let source: String
        let origin: String
        /// Whether clients choose the URLs of the source.
        var isForeign = false
    }

    typealias Lane = ConnectionLane<Item>

    /// Streams used per HTTP/2 connection; RFC 9113 §6.5.2 recommends that servers allow at least 100.
    static var streamsPerConnection: Int { 16 }
    /// Under overload, one start in so many takes the oldest transfer.
    static var startsPerOldest: Int { 8 }

    /// Waiting transfers.
    private(set) var waiting = 0
    /// Waiting transfers that are not background work.
    var waitingUrgent: Int { waiting - counts[RequestPriority.background.rawValue] }
    /// Transfers that were started and not yet released.
    private(set) var active = 0
    /// Those of them whose URLs clients chose.
    private var foreign = 0
    private(set) var scheduling: TransferScheduling
    /// Where transfers are counted for operators; those of the daemon's own work are not.
    private let table: ClientAccounts?
    /// The accounts with transfers; the daemon's own work has the empty name.
    private var accounts: [String: AccountUse] = [:]
    /// Waiting transfers by raw value of their priority.
    ///
    /// One of several clients counts for each. Background work, for which no client waits, counts once.
    var counts = Array(repeating: 0, count: RequestPriority.allCases.count)
    var lanes: [Key: Lane] = [:]
    /// The lanes of each origin, and its transfers in progress.
    private var hosts: [String: (keys: [Key], active: Int)] = [:]
    /// Lanes with room and a waiting transfer, in round-robin order.
    private var ready: [Key] = []
    /// Starts under overload since the last one that took the oldest transfer.
    private var newestStarts = 0

    /// Creates lanes that run at most `limit` transfers at a time.
    init(limit: Int) {
        self.init(TransferScheduling(active: limit))
    }

    /// Creates lanes with a schedule, which count the transfers of clients in a table.
    init(_ scheduling: TransferScheduling, table: ClientAccounts? = nil) {
        self.scheduling = scheduling
        self.table = table
    }

    /// Replaces the schedule; transfers in progress and waiting ones stay, even over a lowered limit.
    mutating func setScheduling(_ scheduling: TransferScheduling) {
        self.scheduling = scheduling
        for key in lanes.keys { markReady(key) }
    }

    /// Whether so many transfers wait that the newest start first.
    private var isOverloaded: Bool { waiting > scheduling.newestFirstAbove }

    /// Adds a transfer to its lane and sets the lane's limit of connections, at least one.
    ///
    /// - Parameters:
    ///   - account: the client that it is charged to; `nil` for the daemon's own work.
    ///   - since: monotonic nanoseconds from which it is as old as it is.
    ///   - entered: monotonic nanoseconds from which it waits in the lane; `nil` for the same.
    ///   - isAdmitted: whether it may exceed the limit of waiting transfers, as the next request of a redirect chain.
    /// - Returns: the transfer that does not wait any longer because too many do: the new one, or another one. Background work gives
    ///   way first, then the client that most transfers of wait for, then the client's own less urgent ones. Under overload an
    ///   older one of the longest lane is dropped, so that requests to one origin displace each other.
    @discardableResult
    mutating func enqueue(
        _ item: Item,
        _ key: Key,
        limit: Int,
        account: String? = nil,
        priority: RequestPriority = .normal,
        since: Int64 = 0,
        entered: Int64? = nil,
        isAdmitted: Bool = false
    ) -> Item? {
        let account = account ?? ""
        var dropped: Item?
        if !isAdmitted, waiting >= scheduling.waiting {
            guard let victim = dropForNew(of: account, priority) else { return item }
            dropped = victim
        }
        if lanes[key] == nil {
            lanes[key] = Lane(limit: 1)
            hosts[key.origin, default: ([], 0)].keys.append(key)
        }
        lanes[key]?.limit = max(1, limit)
        let entry = Lane.Client.Entry(item: item, since: since, entered: entered ?? since)
        append(entry, key, Claim(account, priority))
        markReady(key)
        return dropped
    }

    /// Adds a waiting transfer to those of a client.
    mutating func append(_ entry: Lane.Client.Entry, _ key: Key, _ claim: Claim) {
        let account = claim.account ?? ""
        let use = accounts[account] ?? AccountUse(account)
        accounts[account] = use
        if lanes[key]?.accounts(of: entry.item).isEmpty == true { waiting += 1 }
        lanes[key]?.append(entry, claim.priority, of: use)
        countEntry(1, use, claim.priority)
    }

    /// Removes a waiting transfer from those of an account.
    mutating func remove(_ item: Item, _ key: Key, from account: String) {
        guard let priority = lanes[key]?.remove(item, of: account) else { return }
        noteRemoval(of: item, key, account, priority)
    }

    /// Notes that a transfer does not wait any longer among those of an account.
    ///
    /// - Returns: whether it does not wait among those of another one either.
    @discardableResult
    private mutating func noteRemoval(of item: Item, _ key: Key, _ account: String, _ priority: RequestPriority)
        -> Bool
    {
        if let use = accounts[account] { countEntry(-1, use, priority) }
        guard lanes[key]?.accounts(of: item).isEmpty != false else { return false }
        waiting -= 1
        return true
    }

    /// The nanoseconds that a new transfer of an account is expected to wait in a lane; 0 while too little is known.
    func expectedWait(_ key: Key, of account: String?) -> Int64 {
        lanes[key].map { $0.expectedWait(of: account ?? "", slots: slots(of: $0)) } ?? 0
    }

    /// The transfers of a lane in progress.
    func active(_ key: Key) -> Int { lanes[key]?.active ?? 0 }

    /// The nanoseconds for which a transfer occupies its connection; `nil` while too little is known.
    func expectedTime(_ key: Key) -> Int64? { lanes[key]?.expectedTime }

    /// Starts the next transfer that may, for a client that it is charged to; it occupies its slot until `release`.
    ///
    /// - Parameter now: monotonic nanoseconds.
    mutating func start(at now: Int64) -> Lane.Client.Taken? {
        while active < scheduling.active {
            let takesNewest = isOverloaded && newestStarts < Self.startsPerOldest - 1
            guard let (index, candidate) = nextCandidate(at: takesNewest ? nil : now) else { return nil }
            let key = ready.remove(at: index)
            guard var lane = lanes[key] else { continue }
            lane.isReady = false
            let client = candidate.client
            let taken = lane.start(client, newest: takesNewest, at: now, ageing: ageing)
            lanes[key] = lane
            guard let taken else { continue }
            newestStarts = takesNewest ? newestStarts + 1 : 0
            active += 1
            client.use.active += 1
            table(client.use) { $0.add(1, .downloads, to: $1) }
            noteRemoval(of: taken.item, key, taken.account, taken.priority)
            for other in lanes[key]?.accounts(of: taken.item) ?? [] { remove(taken.item, key, from: other) }
            if key.isForeign {
                foreign += 1
                client.use.foreign += 1
            }
            hosts[key.origin]?.active += 1
            markReady(key)
            return taken
        }
        return nil
    }

    /// Frees a transfer's slot.
    ///
    /// - Parameters:
    ///   - account: the client that it is charged to.
    ///   - multiplexed: whether the transfer used HTTP/2; `nil` if no response head was received.
    ///   - nanoseconds: how long it has occupied the slot; `nil` if unknown.
    ///   - isTypical: whether that says how long other transfers take.
    mutating func release(
        _ key: Key,
        account: String? = nil,
        multiplexed: Bool?,
        nanoseconds: Int64? = nil,
        isTypical: Bool = true
    ) {
        guard var lane = lanes[key] else { return }
        let account = account ?? ""
        active -= 1
        if key.isForeign { foreign -= 1 }
        lane.release(account, nanoseconds: nanoseconds, isTypical: isTypical)
        if let multiplexed { lane.streams = multiplexed ? Self.streamsPerConnection : 1 }
        lanes[key] = lane
        hosts[key.origin]?.active -= 1
        if let use = accounts[account] {
            use.active -= 1
            if key.isForeign { use.foreign -= 1 }
            table(use) { $0.endDownload(of: $1, milliseconds: (nanoseconds ?? 0) / 1_000_000) }
            forgetIfIdle(use)
        }
        // The slot may have been the host's last one for another source.
        for other in hosts[key.origin]?.keys ?? [] { markReady(other) }
        dropIfIdle(key)
    }

    /// Removes a waiting transfer.
    mutating func remove(_ item: Item, _ key: Key) {
        for account in lanes[key]?.accounts(of: item) ?? [] { remove(item, key, from: account) }
        settle(key)
    }

    /// The waiting transfers of the lanes that a condition selects.
    func waiting(where isSelected: (Key) -> Bool) -> [Item] {
        lanes.filter { isSelected($0.key) }.flatMap(\.value.items)
    }

    private var ageing: Int64 { Int64(scheduling.ageing) * 1_000_000 }

    /// The number of transfers that a lane may run, as far as its host lets it.
    private func slots(of lane: Lane) -> Int { min(lane.limit, scheduling.perHost) * lane.streams }

    /// The index of the ready lane whose transfer starts next, with its client; `nil` if none may.
    private func nextCandidate(at now: Int64?) -> (index: Int, candidate: Lane.Candidate)? {
        var candidates: [(index: Int, candidate: Lane.Candidate)] = []
        for (index, key) in ready.enumerated() {
            // While the limit is reached, foreign lanes keep their turn; a lane's limit may have been lowered since it became ready.
            guard foreign < scheduling.foreign || !key.isForeign, let lane = lanes[key], hasRoom(lane, key) else {
                continue
            }
            let isTight =
                active >= scheduling.active - 1 || key.isForeign && foreign >= scheduling.foreign - 1
            let slots = slots(of: lane)
            let candidate = lane.candidate(at: now, ageing: ageing, slots: slots, isTight: isTight) { use in
                mayStart(use, isForeign: key.isForeign)
            }
            if let candidate { candidates.append((index, candidate)) }
        }
        let first = candidates.min { one, other in
            if one.candidate.isUrgent != other.candidate.isUrgent { return one.candidate.isUrgent }
            let (a, b) = (one.candidate.client.use.active, other.candidate.client.use.active)
            return a == b ? one.index < other.index : a < b
        }
        guard let first else { return nil }
        // Of the lanes in which it is this client's turn, the one with its most urgent transfer.
        let own = candidates.filter { $0.candidate.client.use === first.candidate.client.use }
        return own.min { one, other in
            one.candidate.rank == other.candidate.rank
                ? one.index < other.index : one.candidate.rank > other.candidate.rank
        }
    }

    /// Whether the limits over all lanes let an account start a transfer: the last one of each is for other clients.
    private func mayStart(_ use: AccountUse, isForeign: Bool) -> Bool {
        if use.account.isEmpty { return true }
        if isForeign, scheduling.foreign > 1, use.foreign >= scheduling.foreign - 1 { return false }
        return scheduling.active < 2 || use.active < scheduling.active - 1
    }

    /// Removes a waiting transfer that gives way to a new one; `nil` if none does.
    private mutating func dropForNew(of account: String, _ priority: RequestPriority) -> Item? {
        while let dropped = dropEntryForNew(of: account, priority) {
            // Those that others wait for as well make no room.
            if dropped.isLast { return dropped.item }
        }
        return nil
    }

    private mutating func dropEntryForNew(of account: String, _ priority: RequestPriority) -> (
        item: Item, isLast: Bool
    )? {
        if priority > .background, counts[RequestPriority.background.rawValue] > 0 {
            return drop(.background, of: nil)
        }
        let own = accounts[account]?.waiting ?? 0
        if let largest = accounts.values.max(by: { $0.waiting < $1.waiting }), largest.waiting > own + 1,
            let least = leastUrgent(of: largest.account)
        {
            return drop(least, of: largest.account)
        }
        guard let least = leastUrgent(of: account), least < priority || least == priority && isOverloaded else {
            return nil
        }
        return drop(least, of: account)
    }

    private func leastUrgent(of account: String) -> RequestPriority? {
        RequestPriority.allCases.first { priority in lanes.values.contains { $0.count(priority, of: account) > 0 } }
    }

    /// Drops a transfer of a priority, of one account or of all, from the lane in which most of them wait.
    private mutating func drop(_ priority: RequestPriority, of account: String?) -> (item: Item, isLast: Bool)? {
        let dropsOldest = isOverloaded
        let longest = lanes.max { $0.value.count(priority, of: account) < $1.value.count(priority, of: account) }
        guard let key = longest?.key,
            let taken = lanes[key]?.drop(priority, of: account, oldest: dropsOldest)
        else { return nil }
        let isLast = noteRemoval(of: taken.item, key, taken.account, priority)
        settle(key)
        return (taken.item, isLast)
    }

    private mutating func countEntry(_ number: Int, _ use: AccountUse, _ priority: RequestPriority) {
        counts[priority.rawValue] += number
        use.waiting += number
        table(use) { $0.add(number, .waitingDownloads, to: $1) }
        forgetIfIdle(use)
    }

    private mutating func forgetIfIdle(_ use: AccountUse) {
        if use.isIdle { accounts[use.account] = nil }
    }

    /// Updates the table for operators, except for the daemon's own work.
    private func table(_ use: AccountUse, _ update: (ClientAccounts, String) -> Void) {
        if let table, !use.account.isEmpty { update(table, use.account) }
    }

    private func hasRoom(_ lane: Lane, _ key: Key) -> Bool {
        lane.active < lane.slots && hosts[key.origin]?.active ?? 0 < scheduling.perHost * lane.streams
    }

    mutating func markReady(_ key: Key) {
        guard let lane = lanes[key], !lane.isReady, !lane.isEmpty, hasRoom(lane, key) else { return }
        lanes[key]?.isReady = true
        ready.append(key)
    }

    /// Removes a lane from the ready ones if nothing waits there any more, and altogether if it is idle.
    private mutating func settle(_ key: Key) {
        if lanes[key]?.isEmpty == true, lanes[key]?.isReady == true {
            lanes[key]?.isReady = false
            ready.removeAll { $0 == key }
        }
        dropIfIdle(key)
    }

    private mutating func dropIfIdle(_ key: Key) {
        guard let lane = lanes[key], lane.active == 0, lane.isEmpty else { return }
        lanes[key] = nil
        hosts[key.origin]?.keys.removeAll { $0 == key }
        if hosts[key.origin]?.keys.isEmpty == true { hosts[key.origin] = nil }
    }
}
