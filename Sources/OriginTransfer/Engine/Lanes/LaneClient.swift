import HTTPSemantics

/// What one client account uses of all transfers; confined to the transfer thread.
final class AccountUse {
    let account: String
    /// Transfers that were started and not yet released.
    var active = 0
    /// Those of them whose URLs clients chose.
    var foreign = 0
    /// Waiting transfers.
    var waiting = 0

    init(_ account: String) { self.account = account }

    var isIdle: Bool { active == 0 && waiting == 0 }
}

/// The transfers of one client account in one lane; confined to the transfer thread.
final class LaneClient<Item: AnyObject> {
    /// A waiting transfer.
    struct Entry {
        let item: Item
        /// Monotonic nanoseconds from which it is as old as it is; a redirect keeps the age of its load.
        let since: Int64
        /// Monotonic nanoseconds from which it has waited in this lane.
        var entered: Int64
    }

    /// A transfer that was taken from the queue.
    typealias Taken = (item: Item, priority: RequestPriority, account: String)

    /// Nanoseconds for which the oldest waits until the newest start first.
    static var patience: Int64 { 100_000_000 }
    /// While the newest start first, one start in so many takes the oldest.
    static var startsPerOldest: Int { 8 }

    let use: AccountUse
    /// Transfers that were started and not yet released.
    var active = 0
    /// Nanoseconds for which ended transfers have occupied their slots; not less than the lane's when the client began to wait.
    var attained: Int64 = 0
    /// Starts of the newest transfer since the last one that took the oldest.
    private var newestStarts = 0
    /// By raw value of the priority; the oldest first.
    private var queues: [[Entry]] = Array(repeating: [], count: RequestPriority.allCases.count)

    init(_ use: AccountUse) { self.use = use }

    var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }
    /// All waiting transfers, the least urgent first.
    var items: [Item] { queues.flatMap { $0.map(\.item) } }
    /// The number of waiting transfers that are not background work.
    var urgentCount: Int { queues.dropFirst().reduce(0) { $0 + $1.count } }

    /// The number of waiting transfers of a priority.
    func count(_ priority: RequestPriority) -> Int { queues[priority.rawValue].count }

    /// The priority of a waiting transfer; `nil` if it does not wait here.
    func priority(of item: Item) -> RequestPriority? {
        RequestPriority.allCases.first { queues[$0.rawValue].contains { $0.item === item } }
    }

    func append(_ entry: Entry, _ priority: RequestPriority) { queues[priority.rawValue].append(entry) }

    /// The most urgent priority that waits, counting the time that it has waited; -1 if none does.
    ///
    /// - Parameters:
    ///   - now: monotonic nanoseconds; `nil` to disregard how long transfers have waited.
    ///   - ageing: nanoseconds of waiting that raise a transfer by one priority, at most to `high`.
    func rank(at now: Int64?, ageing: Int64) -> Int {
        var best = -1
        for (priority, queue) in queues.enumerated() {
            guard let oldest = queue.first else { continue }
            best = max(best, Self.rank(priority, oldest.since, now, ageing))
        }
        return best
    }

    /// Since when the oldest transfer has waited.
    var oldest: Int64 { queues.reduce(.max) { min($0, $1.first?.since ?? .max) } }

    /// Removes the transfer to start next: the oldest of the most urgent, counting the time that they have waited.
    ///
    /// Of requests of clients, the newest if the oldest has waited for long: its client has probably left.
    func take(at now: Int64, ageing: Int64) -> Taken? {
        var choice: (rank: Int, since: Int64, priority: RequestPriority)?
        for priority in RequestPriority.allCases {
            guard let oldest = queues[priority.rawValue].first else { continue }
            let rank = Self.rank(priority.rawValue, oldest.since, now, ageing)
            if let choice, (rank, -oldest.since) < (choice.rank, -choice.since) { continue }
            choice = (rank, oldest.since, priority)
        }
        guard let priority = choice?.priority else { return nil }
        let head = queues[priority.rawValue].first?.entered ?? now
        let isLate = priority > .background && now - head >= Self.patience
        let takesNewest = isLate && newestStarts < Self.startsPerOldest - 1
        newestStarts = takesNewest ? newestStarts + 1 : 0
        return drop(priority, oldest: !takesNewest).map { ($0, priority, use.account) }
    }

    /// Removes the newest of the most urgent transfers.
    func takeNewest() -> Taken? {
        for priority in RequestPriority.allCases.reversed() {
            if let item = drop(priority, oldest: false) { return (item, priority, use.account) }
        }
        return nil
    }

    /// Removes the oldest or the newest transfer of a priority.
    func drop(_ priority: RequestPriority, oldest: Bool) -> Item? {
        guard !queues[priority.rawValue].isEmpty else { return nil }
        return oldest ? queues[priority.rawValue].removeFirst().item : queues[priority.rawValue].removeLast().item
    }

    /// Removes a waiting transfer and returns its priority; `nil` if it does not wait here.
    func remove(_ item: Item) -> RequestPriority? {
        for priority in RequestPriority.allCases {
            guard let index = queues[priority.rawValue].firstIndex(where: { $0.item === item }) else { continue }
            queues[priority.rawValue].remove(at: index)
            return priority
        }
        return nil
    }

    /// Raises a waiting transfer to a priority, in which it keeps its age.
    ///
    /// - Parameter now: monotonic nanoseconds, from which a client waits for what was background work.
    /// - Returns: its previous priority; `nil` if it does not wait here with a lower one.
    func raise(_ item: Item, to priority: RequestPriority, at now: Int64) -> RequestPriority? {
        for lower in RequestPriority.allCases where lower < priority {
            guard let index = queues[lower.rawValue].firstIndex(where: { $0.item === item }) else { continue }
            var entry = queues[lower.rawValue].remove(at: index)
            if lower == .background { entry.entered = now }
            let later = queues[priority.rawValue].firstIndex { $0.since > entry.since }
            queues[priority.rawValue].insert(entry, at: later ?? queues[priority.rawValue].endIndex)
            return lower
        }
        return nil
    }

    private static func rank(_ priority: Int, _ since: Int64, _ now: Int64?, _ ageing: Int64) -> Int {
        guard let now, now > since else { return priority }
        return min(RequestPriority.high.rawValue, priority + Int(clamping: (now - since) / ageing))
    }
}
