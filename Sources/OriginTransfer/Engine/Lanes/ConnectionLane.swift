import HTTPSemantics

/// The transfers of one source to one origin: those in progress, and those that wait, by client.
///
/// A transfer that several clients wait for waits among those of each, and starts in the first of their turns.
///
/// A free slot goes to the client that holds the fewest of the lane; of these, to the one whose transfers have taken the least
/// time, then to the one that has waited longest. So two clients that always have work waiting hold equal numbers of connections,
/// whatever the number and the length of their transfers: the shares of deficit round robin in milliseconds, without estimates.
struct ConnectionLane<Item: AnyObject> {
    typealias Client = LaneClient<Item>

    /// The client whose transfer may start next, and how urgent that is.
    struct Candidate {
        let client: Client
        /// The priority of its most urgent transfer, which counts among the transfers of this client only.
        let rank: Int
        /// Whether it is not background work, or background work that has waited for long.
        var isUrgent: Bool { rank > RequestPriority.background.rawValue }
    }

    /// The time that slots are occupied by a transfer is known after this many.
    private static var observationsNeeded: Int { 4 }
    /// The longest time of one transfer that counts, in nanoseconds.
    private static var longestObservation: Int64 { 60_000_000_000 }

    /// Maximum number of connections.
    var limit: Int
    /// Transfers in progress.
    private(set) var active = 0
    /// Transfers that may share a connection: 1 until the origin has responded over HTTP/2.
    var streams = 1
    /// Whether the lane is among those that may start a transfer.
    var isReady = false
    /// The accounts with transfers here.
    private var clients: [String: Client] = [:]
    /// Those of them with waiting ones, in the order in which they began to wait.
    private var queue: [Client] = []
    /// The accounts among whose transfers each one waits.
    private var places: [ObjectIdentifier: [String]] = [:]
    /// The transfers that wait among those of several.
    private var shared = 0
    /// What the client that was served last had attained.
    private var attained: Int64 = 0
    /// The mean time of a transfer in nanoseconds, exponentially weighted.
    private var mean: Int64 = 0
    private var observations = 0

    init(limit: Int) {
        self.limit = limit
    }

    var slots: Int { limit * streams }
    var isEmpty: Bool { queue.isEmpty }
    /// All waiting transfers, by client, the least urgent first.
    var items: [Item] {
        var seen: Set<ObjectIdentifier> = []
        return queue.flatMap(\.items).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
    /// The nanoseconds for which a transfer occupies its slot; `nil` while too few have ended.
    var expectedTime: Int64? { observations < Self.observationsNeeded ? nil : mean }

    /// The number of waiting transfers of a priority, of one account or of all.
    func count(_ priority: RequestPriority, of account: String? = nil) -> Int {
        guard let account else { return queue.reduce(0) { $0 + $1.count(priority) } }
        return clients[account]?.count(priority) ?? 0
    }

    /// The accounts among whose transfers one waits; empty if it does not wait here.
    func accounts(of item: Item) -> [String] { places[ObjectIdentifier(item)] ?? [] }

    /// The priority of a waiting transfer among those of an account; `nil` if it does not wait among them.
    func priority(of item: Item, of account: String) -> RequestPriority? { clients[account]?.priority(of: item) }

    /// Adds a waiting transfer to those of an account, among which it does not wait yet.
    mutating func append(_ entry: Client.Entry, _ priority: RequestPriority, of use: AccountUse) {
        places[ObjectIdentifier(entry.item), default: []].append(use.account)
        if accounts(of: entry.item).count == 2 { shared += 1 }
        let client = clients[use.account] ?? Client(use)
        clients[use.account] = client
        if client.isEmpty {
            // A client that had nothing to do has saved nothing up.
            client.attained = max(client.attained, queue.map(\.attained).min() ?? attained)
            queue.append(client)
        }
        client.append(entry, priority)
    }

    /// The client whose transfer may start next; `nil` if none may.
    ///
    /// - Parameters:
    ///   - now: monotonic nanoseconds; `nil` to disregard how long transfers have waited.
    ///   - ageing: nanoseconds of waiting that raise a transfer by one priority.
    ///   - slots: the number of transfers that the lane may run.
    ///   - isTight: whether a limit over all lanes is about to bind, so that the transfers of other lanes count first.
    ///   - mayStart: whether the limits over all lanes let an account start a transfer.
    func candidate(at now: Int64?, ageing: Int64, slots: Int, isTight: Bool, mayStart: (AccountUse) -> Bool)
        -> Candidate?
    {
        var best: Candidate?
        for client in queue {
            let candidate = Candidate(client: client, rank: client.rank(at: now, ageing: ageing))
            guard client.active < share(of: client, slots), mayStart(client.use) else { continue }
            if best.map({ Self.precedes(candidate, $0, isTight) }) ?? true { best = candidate }
        }
        return best
    }

    private static func precedes(_ one: Candidate, _ other: Candidate, _ isTight: Bool) -> Bool {
        if one.isUrgent != other.isUrgent { return one.isUrgent }
        let (a, b) = (one.client, other.client)
        if isTight, a.use.active != b.use.active { return a.use.active < b.use.active }
        return (a.active, a.attained, a.oldest) < (b.active, b.attained, b.oldest)
    }

    /// How many of the lane's slots one account may use: all but one, so that there is one for others.
    ///
    /// The daemon's own work may use all of them as far as clients wait for it.
    private func share(of client: Client, _ slots: Int) -> Int {
        slots < 2 || client.use.account.isEmpty && client.urgentCount > 0 ? slots : slots - 1
    }

    /// Removes the transfer of a client to start next, and starts it; it may still wait among those of other clients.
    mutating func start(_ client: Client, newest: Bool, at now: Int64, ageing: Int64) -> Client.Taken? {
        guard let taken = newest ? client.takeNewest() : client.take(at: now, ageing: ageing) else { return nil }
        noteRemoval(of: taken.item, from: client.use.account)
        attained = max(attained, client.attained)
        client.active += 1
        active += 1
        settle(client)
        return taken
    }

    /// Frees the slot of an account's transfer.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long it was occupied; `nil` if unknown.
    ///   - isTypical: whether that says how long other transfers take.
    mutating func release(_ account: String, nanoseconds: Int64?, isTypical: Bool = true) {
        active -= 1
        guard let client = clients[account] else { return }
        client.active -= 1
        client.attained += max(1, nanoseconds ?? 1)
        settle(client)
        guard isTypical, let nanoseconds else { return }
        let time = min(max(0, nanoseconds), Self.longestObservation)
        mean = observations == 0 ? time : mean + (time - mean) / 8
        observations += 1
    }

    /// The nanoseconds that a new transfer of an account is expected to wait for a slot; 0 if one is free, or nothing is known.
    ///
    /// A client's next transfer waits for its earlier ones, and for as many of each other client. Background work waits for it.
    func expectedWait(of account: String, slots: Int) -> Int64 {
        guard let expectedTime else { return 0 }
        let client = clients[account]
        let own = client?.urgentCount ?? 0
        let share = client.map { self.share(of: $0, slots) } ?? slots
        if active < slots {
            guard let client, client.active >= share else { return 0 }
            return expectedTime * Int64(own + 1) / Int64(max(1, share))
        }
        var before = own + 1
        let copies = copies(for: account)
        for other in queue where other !== client {
            before += min(other.urgentCount - copies[other.use.account, default: 0], own + 1)
        }
        return expectedTime * Int64(before) / Int64(max(1, slots))
    }

    /// How many transfers of each account are counted among those of the given one, or of another one.
    private func copies(for account: String) -> [String: Int] {
        guard shared > 0 else { return [:] }
        var copies: [String: Int] = [:]
        for accounts in places.values where accounts.count > 1 {
            let first = accounts.contains(account) ? account : accounts[0]
            for other in accounts where other != first { copies[other, default: 0] += 1 }
        }
        return copies
    }

    /// Removes the oldest or the newest waiting transfer of a priority, of one account or of the one with most of them.
    ///
    /// It may still wait among those of other clients.
    mutating func drop(_ priority: RequestPriority, of account: String?, oldest: Bool) -> Client.Taken? {
        let client =
            account.map { clients[$0] } ?? queue.max { $0.count(priority) < $1.count(priority) }
        guard let client, let item = client.drop(priority, oldest: oldest) else { return nil }
        noteRemoval(of: item, from: client.use.account)
        settle(client)
        return (item, priority, client.use.account)
    }

    /// Removes a transfer from those of an account and returns its priority; `nil` if it does not wait among them.
    mutating func remove(_ item: Item, of account: String) -> RequestPriority? {
        guard let client = clients[account], let priority = client.remove(item) else { return nil }
        noteRemoval(of: item, from: account)
        settle(client)
        return priority
    }

    /// Raises a waiting transfer to a priority, in which it keeps its age.
    ///
    /// - Returns: its previous priority; `nil` if it does not wait here with a lower one.
    func raise(_ item: Item, of account: String, to priority: RequestPriority, at now: Int64) -> RequestPriority? {
        clients[account]?.raise(item, to: priority, at: now)
    }

    private mutating func noteRemoval(of item: Item, from account: String) {
        let id = ObjectIdentifier(item)
        guard var accounts = places[id] else { return }
        if accounts.count == 2 { shared -= 1 }
        accounts.removeAll { $0 == account }
        places[id] = accounts.isEmpty ? nil : accounts
    }

    /// Removes a client from the queue if nothing of it waits any more, and altogether if it is idle.
    private mutating func settle(_ client: Client) {
        guard client.isEmpty else { return }
        queue.removeAll { $0 === client }
        if client.active == 0 { clients[client.use.account] = nil }
    }
}
