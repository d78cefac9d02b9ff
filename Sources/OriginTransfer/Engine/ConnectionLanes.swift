/// Which transfers may start: first come, first served within a lane, lanes in turn, so many a lane and so many over all.
///
/// A lane is one source's way to one origin. A value without I/O; the transfer thread owns it.
struct ConnectionLanes<Item: AnyObject> {
    /// A source and the scheme, host and port that it asks.
    struct Key: Hashable {
        let source: String
        let origin: String
    }

    private struct Lane {
        var limit: Int
        var active = 0
        var waiting: [Item] = []
        /// How many transfers share a connection: 1 until the origin has answered in HTTP/2.
        var streams = 1
        var isReady = false

        var hasRoom: Bool { active < limit * streams }
    }

    /// Streams that a connection of HTTP/2 is trusted with; origins allow 100 and more (RFC 9113 §6.5.2).
    static var streamsPerConnection: Int { 16 }

    /// Transfers that are waiting.
    private(set) var waiting = 0
    /// Transfers that have started and were not released.
    private(set) var active = 0
    private let limit: Int
    private var lanes: [Key: Lane] = [:]
    /// Lanes with somebody waiting and room, in turn.
    private var ready: [Key] = []

    /// Creates lanes that let `limit` transfers run at a time.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Puts a transfer at the end of its lane, which lets `limit` connections run (at least one).
    mutating func enqueue(_ item: Item, _ key: Key, limit: Int) {
        lanes[key, default: Lane(limit: 1)].limit = max(1, limit)
        lanes[key]?.waiting.append(item)
        waiting += 1
        markReady(key)
    }

    /// The next transfer that may start now; it holds its place until `release`.
    mutating func next() -> Item? {
        while active < limit, !ready.isEmpty {
            let key = ready.removeFirst()
            guard var lane = lanes[key] else { continue }
            lane.isReady = false
            // The limit may have been lowered meanwhile.
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

    /// Gives a place back.
    ///
    /// - Parameter multiplexed: whether the transfer shared its connection; `nil` when it never had one.
    mutating func release(_ key: Key, multiplexed: Bool?) {
        guard var lane = lanes[key] else { return }
        active -= 1
        lane.active -= 1
        if let multiplexed { lane.streams = multiplexed ? Self.streamsPerConnection : 1 }
        lanes[key] = lane
        markReady(key)
        dropIfIdle(key)
    }

    /// Takes a waiting transfer out.
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
