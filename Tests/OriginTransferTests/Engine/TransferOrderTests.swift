import HTTPSemantics
import Testing

@testable import OriginTransfer

/// The order in which waiting transfers start, and which of them are dropped.
@Suite(.timeLimit(.minutes(1)))
struct TransferOrderTests {
    typealias Item = NamedTransfer
    typealias Lanes = ConnectionLanes<Item>

    private static let second: Int64 = 1_000_000_000
    private let a = Lanes.Key(source: "s", origin: "http://a")
    private let b = Lanes.Key(source: "s", origin: "http://b")
    /// The host of `a` through another source.
    private let other = Lanes.Key(source: "t", origin: "http://a")

    private func drain(_ lanes: inout Lanes, at now: Int64 = 0) -> String {
        var names = ""
        while let item = lanes.next(at: now) { names += item.name }
        return names
    }

    @Test func `starts the most urgent first, over all lanes`() {
        var lanes = Lanes(limit: 100)
        lanes.enqueue(Item("b"), a, limit: 9, priority: .background)
        lanes.enqueue(Item("l"), b, limit: 9, priority: .low)
        lanes.enqueue(Item("n"), a, limit: 9)
        lanes.enqueue(Item("h"), b, limit: 9, priority: .high)
        lanes.enqueue(Item("H"), a, limit: 9, priority: .high)
        #expect(drain(&lanes) == "Hhnlb")
    }

    @Test func `waiting makes a transfer more urgent, until it is the oldest of the most urgent`() {
        let scheduling = TransferScheduling(active: 1, ageing: 2_000)
        func order(after seconds: Int64) -> String {
            var lanes = Lanes(scheduling)
            lanes.enqueue(Item("b"), a, limit: 9, priority: .background)
            lanes.enqueue(Item("n"), a, limit: 9, priority: .normal, since: seconds * Self.second)
            lanes.enqueue(Item("h"), b, limit: 9, priority: .high, since: seconds * Self.second)
            var names = ""
            while let item = lanes.next(at: seconds * Self.second) {
                names += item.name
                lanes.release(item.name == "h" ? b : a, multiplexed: nil)
            }
            return names
        }
        #expect(order(after: 0) == "hnb")
        #expect(order(after: 3) == "hnb")
        // As old as two steps: normal, and older than the other.
        #expect(order(after: 4) == "hbn")
        #expect(order(after: 6).first == "b")
    }

    @Test func `a raised transfer passes younger ones of its new priority`() {
        var lanes = Lanes(limit: 100)
        let raised = Item("r")
        lanes.enqueue(Item("1"), a, limit: 9, since: 1)
        lanes.enqueue(raised, a, limit: 9, priority: .background, since: 2)
        lanes.enqueue(Item("3"), a, limit: 9, since: 3)
        #expect(lanes.update(raised, a, for: [Claim(nil, .background)]) == nil)
        #expect(lanes.update(raised, b, for: [Claim(nil, .high)]) == nil)
        #expect(lanes.update(raised, a, for: [Claim(nil, .normal)]) == .joined)
        #expect(lanes.waiting == 3)
        #expect(drain(&lanes, at: 4) == "1r3")
        #expect(lanes.waiting == 0)
    }

    @Test func `foreign lanes share a limit, and keep their turn while it is reached`() {
        var lanes = Lanes(TransferScheduling(active: 9, foreign: 2))
        let hosts = (0..<4).map { Lanes.Key(source: "fetch", origin: "http://\($0)", isForeign: true) }
        for (number, host) in hosts.enumerated() { lanes.enqueue(Item("\(number)"), host, limit: 9) }
        lanes.enqueue(Item("a"), a, limit: 9)
        #expect(drain(&lanes) == "01a")
        lanes.release(hosts[1], multiplexed: nil)
        #expect(drain(&lanes) == "2")
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "")
        lanes.release(hosts[0], multiplexed: nil)
        #expect(drain(&lanes) == "3")
    }

    @Test func `starts the newest first while many wait, and the oldest every eighth time`() {
        var lanes = Lanes(TransferScheduling(newestFirstAbove: 3))
        for number in 0..<20 { lanes.enqueue(Item("\(number) "), a, limit: 100) }
        #expect(drain(&lanes) == "19 18 17 16 15 14 13 0 12 11 10 9 8 7 6 1 5 2 3 4 ")
    }

    @Test func `the newest first are still the most urgent`() {
        var lanes = Lanes(TransferScheduling(newestFirstAbove: 0))
        lanes.enqueue(Item("1"), a, limit: 9)
        lanes.enqueue(Item("h"), a, limit: 9, priority: .high)
        lanes.enqueue(Item("2"), b, limit: 9)
        lanes.enqueue(Item("b"), b, limit: 9, priority: .background)
        #expect(drain(&lanes) == "h21b")
    }

    @Test func `a full queue drops the least urgent, and refuses what is no more urgent`() {
        var lanes = Lanes(TransferScheduling(active: 1, waiting: 2))
        lanes.enqueue(Item("x"), a, limit: 1)
        #expect(drain(&lanes) == "x")
        #expect(lanes.enqueue(Item("1"), a, limit: 1, priority: .low) == nil)
        #expect(lanes.enqueue(Item("2"), a, limit: 1) == nil)
        #expect(lanes.enqueue(Item("3"), b, limit: 1)?.name == "1")
        #expect(lanes.enqueue(Item("4"), b, limit: 1)?.name == "4")
        #expect(lanes.enqueue(Item("5"), b, limit: 1, priority: .background)?.name == "5")
        #expect(lanes.waiting == 2)
        // The next request of a redirect chain was admitted before.
        #expect(lanes.enqueue(Item("6"), b, limit: 1, isAdmitted: true) == nil)
        #expect(lanes.waiting == 3)
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "3")
    }

    @Test func `under overload the oldest of the longest lane gives way`() {
        var lanes = Lanes(TransferScheduling(active: 1, waiting: 4, newestFirstAbove: 2))
        lanes.enqueue(Item("x"), b, limit: 1)
        #expect(drain(&lanes) == "x")
        for name in ["1", "2", "3"] { lanes.enqueue(Item(name), a, limit: 1) }
        lanes.enqueue(Item("y"), b, limit: 1)
        #expect(lanes.enqueue(Item("z"), b, limit: 1)?.name == "1")
        #expect(lanes.enqueue(Item("4"), a, limit: 1, priority: .background)?.name == "4")
        #expect(lanes.waiting == 4)
    }

    @Test func `limits a host over all sources`() {
        var lanes = Lanes(TransferScheduling(perHost: 3))
        for name in ["1", "2"] { lanes.enqueue(Item(name), a, limit: 2) }
        for name in ["x", "y"] { lanes.enqueue(Item(name), other, limit: 2) }
        lanes.enqueue(Item("b"), b, limit: 2)
        #expect(Set(drain(&lanes)) == ["1", "2", "x", "b"])
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "y")
        lanes.release(a, multiplexed: nil)
        lanes.release(other, multiplexed: nil)
        lanes.release(other, multiplexed: nil)
        lanes.release(b, multiplexed: nil)
        #expect(lanes.active == 0)
        lanes.enqueue(Item("3"), a, limit: 2)
        #expect(drain(&lanes) == "3")
    }

    @Test func `applies other limits to those that wait`() {
        var lanes = Lanes(TransferScheduling(active: 1, perHost: 1))
        for name in ["1", "2", "3"] { lanes.enqueue(Item(name), a, limit: 3) }
        #expect(drain(&lanes) == "1")
        lanes.setScheduling(TransferScheduling(active: 2, perHost: 2))
        #expect(drain(&lanes) == "2")
        lanes.setScheduling(TransferScheduling(active: 1, perHost: 1))
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes).isEmpty)
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "3")
    }
}
