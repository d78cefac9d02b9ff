import HTTPSemantics

/// Schedules transfers: by priority, then round-robin over lanes, oldest first within a lane; with limits per lane, per host and
/// in total.
///
/// A lane is a pair of source and origin. Waiting raises a transfer's priority, so that none waits forever. Under overload the
/// newest start first, because the clients of the oldest have probably left; every eighth start then takes the oldest, so that
/// these still advance. Performs no I/O; the transfer thread owns it.
struct ConnectionLanes<Item: AnyObject> {
    /// A source, and the scheme, host and port of an origin.
    struct Key: Hashable {
        let source: String
        let origin: String
        /// Whether clients choose the URLs of the source.
        var isForeign = false
    }

    private typealias Lane = ConnectionLane<Item>

    /// Streams used per HTTP/2 connection; RFC 9113 §6.5.2 recommends that servers allow at least 100.
    static var streamsPerConnection: Int { 16 }
    /// Under overload, one start in so many takes the oldest transfer.
    static var startsPerOldest: Int { 8 }

    /// Waiting transfers.
    var waiting: Int { counts.reduce(0, +) }
    /// Transfers that were started and not yet released.
    private(set) var active = 0
    /// Those of them whose URLs clients chose.
    private var foreign = 0
    private(set) var scheduling: TransferScheduling
    /// Waiting transfers by raw value of their priority.
    private var counts = Array(repeating: 0, count: RequestPriority.allCases.count)
    private var lanes: [Key: Lane] = [:]
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

    /// Creates lanes with a schedule.
    init(_ scheduling: TransferScheduling) {
        self.scheduling = scheduling
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
    ///   - since: monotonic nanoseconds from which it waits.
    ///   - isAdmitted: whether it may exceed the limit of waiting transfers, as the next request of a redirect chain.
    /// - Returns: the transfer that does not wait any longer because too many do: the new one, or a less urgent one. Under overload
    ///   an equally urgent older one of the longest lane is dropped, so that requests to one origin displace each other.
    @discardableResult
    mutating func enqueue(
        _ item: Item,
        _ key: Key,
        limit: Int,
        priority: RequestPriority = .normal,
        since: Int64 = 0,
        isAdmitted: Bool = false
    ) -> Item? {
        var dropped: Item?
        if !isAdmitted, waiting >= scheduling.waiting {
            guard let victim = dropLeastUrgent(for: priority) else { return item }
            dropped = victim
        }
        if lanes[key] == nil {
            lanes[key] = Lane(limit: 1)
            hosts[key.origin, default: ([], 0)].keys.append(key)
        }
        lanes[key]?.limit = max(1, limit)
        lanes[key]?.append(item, priority, since: since)
        counts[priority.rawValue] += 1
        markReady(key)
        return dropped
    }

    /// Returns the next transfer that may start; it occupies its slot until `release`.
    ///
    /// - Parameter now: monotonic nanoseconds.
    mutating func next(at now: Int64 = 0) -> Item? {
        while active < scheduling.active {
            let takesNewest = isOverloaded && newestStarts < Self.startsPerOldest - 1
            guard let index = mostUrgent(at: takesNewest ? nil : now) else { return nil }
            let key = ready.remove(at: index)
            guard var lane = lanes[key] else { continue }
            lane.isReady = false
            // A limit may have been lowered since the lane became ready.
            guard hasRoom(lane, key) else {
                lanes[key] = lane
                continue
            }
            let taken = takesNewest ? lane.takeNewest() : lane.takeOldest(at: now, ageing: ageing)
            lane.active += taken == nil ? 0 : 1
            lanes[key] = lane
            guard let taken else { continue }
            newestStarts = takesNewest ? newestStarts + 1 : 0
            counts[taken.priority.rawValue] -= 1
            active += 1
            if key.isForeign { foreign += 1 }
            hosts[key.origin]?.active += 1
            markReady(key)
            return taken.item
        }
        return nil
    }

    /// Frees a transfer's slot.
    ///
    /// - Parameter multiplexed: whether the transfer used HTTP/2; `nil` if no response head was received.
    mutating func release(_ key: Key, multiplexed: Bool?) {
        guard var lane = lanes[key] else { return }
        active -= 1
        if key.isForeign { foreign -= 1 }
        lane.active -= 1
        if let multiplexed { lane.streams = multiplexed ? Self.streamsPerConnection : 1 }
        lanes[key] = lane
        hosts[key.origin]?.active -= 1
        // The slot may have been the host's last one for another source.
        for other in hosts[key.origin]?.keys ?? [] { markReady(other) }
        dropIfIdle(key)
    }

    /// Removes a waiting transfer.
    mutating func remove(_ item: Item, _ key: Key) {
        guard let priority = lanes[key]?.remove(item) else { return }
        counts[priority.rawValue] -= 1
        settle(key)
    }

    /// Raises a waiting transfer to a priority; does nothing if it does not wait, or is as urgent.
    mutating func raise(_ item: Item, _ key: Key, to priority: RequestPriority) {
        guard let previous = lanes[key]?.raise(item, to: priority) else { return }
        counts[previous.rawValue] -= 1
        counts[priority.rawValue] += 1
    }

    /// The waiting transfers of the lanes that a condition selects.
    func waiting(where isSelected: (Key) -> Bool) -> [Item] {
        lanes.filter { isSelected($0.key) }.flatMap(\.value.items)
    }

    private var ageing: Int64 { Int64(scheduling.ageing) * 1_000_000 }

    /// The index of the first ready lane with the most urgent transfer; `nil` if none may start.
    private func mostUrgent(at now: Int64?) -> Int? {
        var best: (index: Int, rank: Int)?
        // While the limit is reached, foreign lanes keep their turn.
        let takesForeign = foreign < scheduling.foreign
        for (index, key) in ready.enumerated() where takesForeign || !key.isForeign {
            let rank = lanes[key]?.rank(at: now, ageing: ageing) ?? -1
            if best.map({ rank > $0.rank }) ?? true { best = (index, rank) }
            if rank == RequestPriority.high.rawValue { break }
        }
        return best?.index
    }

    /// Removes a transfer that is less urgent than a new one, or under overload an older one of equal priority.
    private mutating func dropLeastUrgent(for priority: RequestPriority) -> Item? {
        guard let least = RequestPriority.allCases.first(where: { counts[$0.rawValue] > 0 }) else { return nil }
        guard least < priority || least == priority && isOverloaded else { return nil }
        let dropsOldest = isOverloaded
        guard let key = lanes.max(by: { $0.value.count(least) < $1.value.count(least) })?.key,
            let item = lanes[key]?.drop(least, oldest: dropsOldest)
        else { return nil }
        counts[least.rawValue] -= 1
        settle(key)
        return item
    }

    private func hasRoom(_ lane: Lane, _ key: Key) -> Bool {
        lane.hasRoom && hosts[key.origin]?.active ?? 0 < scheduling.perHost * lane.streams
    }

    private mutating func markReady(_ key: Key) {
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
