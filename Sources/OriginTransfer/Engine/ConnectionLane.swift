import HTTPSemantics

/// The transfers of one source to one origin: those in progress, and those that wait, by priority.
struct ConnectionLane<Item: AnyObject> {
    /// A waiting transfer.
    struct Entry {
        let item: Item
        /// Monotonic nanoseconds from which it waits.
        let since: Int64
    }

    /// Maximum number of connections.
    var limit: Int
    var active = 0
    /// Transfers that may share a connection: 1 until the origin has responded over HTTP/2.
    var streams = 1
    /// Whether the lane is among those that may start a transfer.
    var isReady = false
    /// By raw value of the priority; the oldest first.
    private var queues: [[Entry]] = Array(repeating: [], count: RequestPriority.allCases.count)

    init(limit: Int) {
        self.limit = limit
    }

    var hasRoom: Bool { active < limit * streams }
    var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }
    /// All waiting transfers, the least urgent first.
    var items: [Item] { queues.flatMap { $0.map(\.item) } }

    /// The number of waiting transfers of a priority.
    func count(_ priority: RequestPriority) -> Int { queues[priority.rawValue].count }

    mutating func append(_ item: Item, _ priority: RequestPriority, since: Int64) {
        queues[priority.rawValue].append(Entry(item: item, since: since))
    }

    /// The most urgent priority that waits here.
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

    /// Removes the transfer to start next: the oldest of the most urgent, counting the time that it has waited.
    mutating func takeOldest(at now: Int64, ageing: Int64) -> (item: Item, priority: RequestPriority)? {
        var choice: (rank: Int, since: Int64, priority: RequestPriority)?
        for priority in RequestPriority.allCases {
            guard let oldest = queues[priority.rawValue].first else { continue }
            let rank = Self.rank(priority.rawValue, oldest.since, now, ageing)
            if let choice, (rank, -oldest.since) < (choice.rank, -choice.since) { continue }
            choice = (rank, oldest.since, priority)
        }
        return choice.map { (queues[$0.priority.rawValue].removeFirst().item, $0.priority) }
    }

    /// Removes the newest of the most urgent transfers.
    mutating func takeNewest() -> (item: Item, priority: RequestPriority)? {
        for priority in RequestPriority.allCases.reversed() {
            if let entry = queues[priority.rawValue].popLast() { return (entry.item, priority) }
        }
        return nil
    }

    /// Removes the oldest or the newest transfer of a priority.
    mutating func drop(_ priority: RequestPriority, oldest: Bool) -> Item? {
        guard !queues[priority.rawValue].isEmpty else { return nil }
        return oldest ? queues[priority.rawValue].removeFirst().item : queues[priority.rawValue].removeLast().item
    }

    /// Removes a waiting transfer and returns its priority; `nil` if it does not wait here.
    mutating func remove(_ item: Item) -> RequestPriority? {
        for priority in RequestPriority.allCases {
            guard let index = queues[priority.rawValue].firstIndex(where: { $0.item === item }) else { continue }
            queues[priority.rawValue].remove(at: index)
            return priority
        }
        return nil
    }

    /// Raises a waiting transfer to a priority, in which it keeps its age.
    ///
    /// - Returns: its previous priority; `nil` if it does not wait here with a lower one.
    mutating func raise(_ item: Item, to priority: RequestPriority) -> RequestPriority? {
        for lower in RequestPriority.allCases where lower < priority {
            guard let index = queues[lower.rawValue].firstIndex(where: { $0.item === item }) else { continue }
            let entry = queues[lower.rawValue].remove(at: index)
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
