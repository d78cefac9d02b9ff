/// Schedules transfers: FIFO within a lane, round-robin over lanes, with a limit per lane and a total limit.
///
/// A lane is a pair of source and origin. Performs no I/O; the transfer thread owns it.
struct ConnectionLanes<Item: AnyObject> {
    /// A source, and the scheme, host and port of an origin.
    struct Key: Hashable {
        let source: String
        let origin: String
    }

    private struct Lane {
        var limit: Int
        var active = 0
        var waiting: [Item] = []
        /// Transfers that may share a connection: 1 until the origin has responded over HTTP/2.
        var streams = 1
        var isReady = false

        var hasRoom: Bool { active < limit * streams }
    }

    /// Streams used per HTTP/2 connection; RFC 9113 §6.5.2 recommends that servers allow at least 100.
    static var streamsPerConnection: Int { 16 }

    /// Waiting transfers.
    private(set) var waiting = 0
    /// Transfers that were started and not yet released.
    private(set) var active = 0
    private let limit: Int
    private var lanes: [Key: Lane] = [:]
    /// Lanes with room and a waiting transfer, in round-robin order.
    private var ready: [Key] = []

    /// Creates lanes that run at most `limit` transfers at a time.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Appends a transfer to its lane and sets the lane's limit of connections, at least one.
    mutating func enqueue(_ item: Item, _ key: Key, limit: Int) {
        lanes[key, default: Lane(limit: 1)].limit = max(1, limit)
        lanes[key]?.waiting.append(item)
        waiting += 1
        markReady(key)
    }

    /// Returns the next transfer that may start; it occupies its slot until `release`.
    mutating func next() -> Item? {
        while active < limit, !ready.isEmpty {
            let key = ready.removeFirst()
            guard var lane = lanes[key] else { continue }
            lane.isReady = false
            // The limit may have been lowered since the lane became ready.
            let item = lane.hasRoom && !lane.waiting.isEmpty ? lane.waiting.removeFirst() : nil
            lane.active += item == nil ? 0 : 1
            lanes[key] = lane
            guard let item else { continue }
            waiting -= 1
            active += 1
            markReady(key)
            return item
        }
        return nil
    }

    /// Frees a transfer's slot.
    ///
    /// - Parameter multiplexed: whether the transfer used HTTP/2; `nil` if no response head was received.
    mutating func release(_ key: Key, multiplexed: Bool?) {
        guard var lane = lanes[key] else { return }
        active -= 1
        lane.active -= 1
        if let multiplexed { lane.streams = multiplexed ? Self.streamsPerConnection : 1 }
        lanes[key] = lane
        markReady(key)
        dropIfIdle(key)
    }

    /// Removes a waiting transfer.
    mutating func remove(_ item: Item, _ key: Key) {
        guard let index = lanes[key]?.waiting.firstIndex(where: { $0 === item }) else { return }
        lanes[key]?.waiting.remove(at: index)
        waiting -= 1
        if lanes[key]?.waiting.isEmpty == true {
            lanes[key]?.isReady = false
            ready.removeAll { $0 == key }
        }
        dropIfIdle(key)
    }

    private mutating func markReady(_ key: Key) {
        guard let lane = lanes[key], !lane.isReady, !lane.waiting.isEmpty, lane.hasRoom else { return }
        lanes[key]?.isReady = true
        ready.append(key)
    }

    private mutating func dropIfIdle(_ key: Key) {
        guard let lane = lanes[key], lane.active == 0, lane.waiting.isEmpty else { return }
        lanes[key] = nil
    }
}
