import HTTPSemantics
import LinuxSystem
import Testing

@testable import OriginTransfer

/// Which client's transfer starts next, and which has to give way.
@Suite(.timeLimit(.minutes(1)))
struct TransferFairnessTests {
    typealias Item = NamedTransfer
    typealias Lanes = ConnectionLanes<Item>

    private static let second: Int64 = 1_000_000_000
    private let a = Lanes.Key(source: "s", origin: "http://a")
    private let b = Lanes.Key(source: "s", origin: "http://b")

    /// Adds a transfer whose name begins with its account.
    private func add(
        _ name: String,
        to lanes: inout Lanes,
        _ key: Lanes.Key? = nil,
        limit: Int = 1,
        priority: RequestPriority = .normal,
        since: Int64 = 0
    ) {
        let account = name.prefix(1).description
        lanes.enqueue(Item(name), key ?? a, limit: limit, account: account, priority: priority, since: since)
    }

    private func drain(_ lanes: inout Lanes, at now: Int64 = 0) -> [String] {
        var names: [String] = []
        while let item = lanes.next(at: now) { names.append(item.name) }
        return names
    }

    private func release(_ name: String, _ lanes: inout Lanes, _ key: Lanes.Key? = nil, seconds: Int64 = 1) {
        let account = name.prefix(1).description
        lanes.release(key ?? a, account: account, multiplexed: false, nanoseconds: seconds * Self.second)
    }

    @Test func `a client that floods a source leaves a connection to others, which wait for none of its transfers`() {
        var lanes = Lanes(limit: 100)
        for number in 0..<50 { add("A\(number)", to: &lanes, limit: 4) }
        #expect(drain(&lanes) == ["A0", "A1", "A2"])
        add("B0", to: &lanes, limit: 4)
        add("B1", to: &lanes, limit: 4)
        #expect(drain(&lanes) == ["B0"])
        release("A0", &lanes)
        #expect(drain(&lanes) == ["B1"])
        release("A1", &lanes)
        // It has one connection, the other client two.
        #expect(drain(&lanes) == ["A3"])
    }

    @Test func `the only connection of a source is used by whoever waits`() {
        var lanes = Lanes(limit: 100)
        add("A0", to: &lanes)
        #expect(drain(&lanes) == ["A0"])
    }

    @Test func `the daemon's own work leaves a connection to clients, unless a client waits for it`() {
        var lanes = Lanes(limit: 100)
        for name in ["1", "2", "3"] { lanes.enqueue(Item(name), a, limit: 3, priority: .background) }
        #expect(drain(&lanes) == ["1", "2"])
        lanes.enqueue(Item("4"), a, limit: 3)
        #expect(drain(&lanes) == ["4"])
    }

    @Test func `clients share a connection by time, whatever the number and the length of their transfers`() {
        var lanes = Lanes(limit: 100)
        var seconds = ["A": Int64(0), "B": 0]
        var now: Int64 = 0
        for number in 0..<200 {
            add("A\(number)", to: &lanes, since: now)
            add("B\(number)", to: &lanes, since: now)
        }
        for _ in 0..<110 {
            guard let item = lanes.next(at: now) else { break }
            let length: Int64 = item.name.hasPrefix("A") ? 10 : 1
            seconds[item.name.prefix(1).description, default: 0] += length
            now += length * Self.second
            release(item.name, &lanes, seconds: length)
        }
        #expect(seconds == ["A": 100, "B": 100])
    }

    @Test func `a client that comes later owes nothing and has saved nothing up`() {
        var lanes = Lanes(limit: 100)
        for number in 0..<9 { add("A\(number)", to: &lanes) }
        for _ in 0..<4 {
            let item = lanes.next()
            release(item?.name ?? "", &lanes, seconds: 100)
        }
        for number in 0..<9 { add("B\(number)", to: &lanes) }
        var order = ""
        for _ in 0..<6 {
            guard let item = lanes.next() else { break }
            order += item.name.prefix(1)
            release(item.name, &lanes)
        }
        #expect(order.filter { $0 == "A" }.count == 3)
    }

    @Test func `the limits over all hosts are shared as well, and one client never uses the last transfer`() {
        var lanes = Lanes(TransferScheduling(active: 4, foreign: 3))
        let hosts = (0..<9).map { Lanes.Key(source: "fetch", origin: "http://\($0)", isForeign: true) }
        for (number, host) in hosts.enumerated() { add("A\(number)", to: &lanes, host, limit: 6) }
        #expect(drain(&lanes) == ["A0", "A1"])
        for name in ["A", "A", "A"] { add(name, to: &lanes, a, limit: 6) }
        #expect(drain(&lanes) == ["A"])
        add("B0", to: &lanes, hosts[8], limit: 6)
        add("B1", to: &lanes, hosts[7], limit: 6)
        // Another client precedes it in the lanes where both wait, the first of which is that of the eighth host.
        #expect(drain(&lanes) == ["B1"])
        release("A0", &lanes, hosts[0])
        #expect(drain(&lanes) == ["B0"])
    }

    @Test func `a priority orders the transfers of its client only`() {
        var lanes = Lanes(limit: 1)
        add("B", to: &lanes, since: 1)
        for name in ["A1", "A2"] { add(name, to: &lanes, priority: .high, since: 2) }
        add("A0", to: &lanes, b, limit: 1, priority: .low, since: 3)
        var order: [String] = []
        while let item = lanes.next(at: 4) {
            order.append(item.name)
            release(item.name, &lanes, item.name == "A0" ? b : a)
        }
        #expect(order == ["B", "A1", "A2", "A0"])
    }

    @Test func `background work comes after that of all clients, until it has waited for long`() {
        func order(after seconds: Int64) -> [String] {
            var lanes = Lanes(TransferScheduling(active: 1, ageing: 2_000))
            add("C", to: &lanes, priority: .background)
            let now = seconds * Self.second
            for name in ["A1", "A2"] { add(name, to: &lanes, priority: .low, since: now) }
            add("B", to: &lanes, b, priority: .low, since: now)
            var order: [String] = []
            while let item = lanes.next(at: now) {
                order.append(item.name)
                release(item.name, &lanes, item.name == "B" ? b : a)
            }
            return order
        }
        #expect(order(after: 1).last == "C")
        #expect(order(after: 2).first == "C")
    }

    @Test func `the newest of a client start first once its oldest has waited 100 ms`() {
        func order(at milliseconds: Int64) -> [String] {
            var lanes = Lanes(limit: 100)
            for number in 0..<9 { add("A\(number)", to: &lanes, limit: 10, since: Int64(number) * 1_000_000) }
            return drain(&lanes, at: milliseconds * 1_000_000)
        }
        #expect(order(at: 99) == (0..<9).map { "A\($0)" })
        // Every eighth takes the oldest, so that this one advances; then the next one has waited less.
        #expect(order(at: 100) == ["A8", "A7", "A6", "A5", "A4", "A3", "A2", "A0", "A1"])
    }

    @Test func `in a full queue the client with most transfers gives way, whatever the priorities`() {
        var lanes = Lanes(TransferScheduling(active: 1, waiting: 4))
        add("X", to: &lanes)
        #expect(drain(&lanes) == ["X"])
        for name in ["A1", "A2", "A3"] { add(name, to: &lanes, priority: .high) }
        lanes.enqueue(Item("C"), b, limit: 1, account: "C", priority: .background)
        #expect(lanes.enqueue(Item("B1"), a, limit: 1, account: "B", priority: .low)?.name == "C")
        #expect(lanes.enqueue(Item("B2"), a, limit: 1, account: "B", priority: .low)?.name == "A3")
        // Now both have two.
        #expect(lanes.enqueue(Item("B3"), a, limit: 1, account: "B", priority: .low)?.name == "B3")
        #expect(lanes.enqueue(Item("B4"), a, limit: 1, account: "B", priority: .high)?.name == "B2")
        #expect(lanes.waiting == 4)
    }

    @Test func `the expected wait is that of the client's turn, by the time that transfers take`() {
        var lanes = Lanes(limit: 100)
        for number in 0..<6 { add("A\(number)", to: &lanes, limit: 2) }
        #expect(lanes.expectedWait(a, of: "A") == 0)
        for number in 0..<4 {
            #expect(lanes.next()?.name == "A\(number)")
            #expect(lanes.expectedTime(a) == nil)
            release("A\(number)", &lanes, seconds: 3)
        }
        #expect(lanes.expectedTime(a) == 3 * Self.second)
        #expect(drain(&lanes) == ["A4"])
        // One of its own waits already, for the one connection that it may use; another client finds one free.
        #expect(lanes.expectedWait(a, of: "A") == 6 * Self.second)
        #expect(lanes.expectedWait(a, of: "B") == 0)
        add("B", to: &lanes, limit: 2)
        #expect(drain(&lanes) == ["B"])
        // Two connections, of which one becomes free every 1.5 s: for one of A's, and one of its own.
        #expect(lanes.expectedWait(a, of: "C") == 3 * Self.second)
        #expect(lanes.expectedWait(a, of: "A") == 3 * Self.second)
        // Background work does not precede it.
        for name in ["D", "E", "F"] { add(name, to: &lanes, limit: 2, priority: .background) }
        #expect(lanes.expectedWait(a, of: "C") == 3 * Self.second)
    }

    @Test func `clients are counted in the table while they use something, the daemon's own work is not`() {
        let table = ClientAccounts()
        var lanes = Lanes(TransferScheduling(), table: table)
        for name in ["A1", "A2", "A3"] { add(name, to: &lanes, limit: 2) }
        lanes.enqueue(Item("own"), b, limit: 1, priority: .background)
        #expect(table.use(of: "A").waitingDownloads == 3)
        #expect(Set(drain(&lanes)) == ["A1", "own"])
        #expect(table.use(of: "A").downloads == 1 && table.use(of: "A").waitingDownloads == 2)
        #expect(table.count == 1)
        release("A1", &lanes, seconds: 2)
        #expect(table.use(of: "A").downloadMilliseconds == 2_000)
        #expect(drain(&lanes) == ["A2"])
        release("A2", &lanes)
        #expect(drain(&lanes) == ["A3"])
        release("A3", &lanes)
        #expect(table.count == 0)
    }
}
