import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct ConnectionLanesTests {
    typealias Item = NamedTransfer
    typealias Lanes = ConnectionLanes<Item>

    private let a = Lanes.Key(source: "s", origin: "http://a")
    private let b = Lanes.Key(source: "s", origin: "http://b")

    private func drain(_ lanes: inout Lanes) -> String {
        var names = ""
        while let item = lanes.next() { names += item.name }
        return names
    }

    @Test func `starts transfers in order, up to the lane's limit`() {
        var lanes = Lanes(limit: 100)
        for name in ["1", "2", "3", "4"] { lanes.enqueue(Item(name), a, limit: 2) }
        #expect(drain(&lanes) == "12")
        #expect(lanes.waiting == 2)
        #expect(lanes.active == 2)
        lanes.release(a, multiplexed: false)
        #expect(drain(&lanes) == "3")
        lanes.release(a, multiplexed: nil)
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "4")
        lanes.release(a, multiplexed: nil)
        #expect(lanes.active == 0)
        #expect(lanes.waiting == 0)
    }

    @Test func `takes lanes in turn, up to the total limit`() {
        var lanes = Lanes(limit: 3)
        for name in ["1", "2", "3"] { lanes.enqueue(Item(name), a, limit: 9) }
        for name in ["x", "y"] { lanes.enqueue(Item(name), b, limit: 9) }
        #expect(drain(&lanes) == "1x2")
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "y")
        lanes.release(a, multiplexed: nil)
        lanes.release(b, multiplexed: nil)
        #expect(drain(&lanes) == "3")
    }

    @Test func `does not let a full lane block another`() {
        var lanes = Lanes(limit: 3)
        for name in ["1", "2", "3"] { lanes.enqueue(Item(name), a, limit: 1) }
        lanes.enqueue(Item("x"), b, limit: 1)
        #expect(drain(&lanes) == "1x")
    }

    @Test func `multiplexes once the origin responds over HTTP/2, and stops when it no longer does`() {
        var lanes = Lanes(limit: 100)
        for _ in 0..<50 { lanes.enqueue(Item("."), a, limit: 1) }
        #expect(drain(&lanes).count == 1)
        lanes.release(a, multiplexed: true)
        #expect(drain(&lanes).count == Lanes.streamsPerConnection)
        lanes.release(a, multiplexed: false)
        #expect(drain(&lanes).isEmpty)
        for _ in 1..<Lanes.streamsPerConnection { lanes.release(a, multiplexed: false) }
        #expect(drain(&lanes).count == 1)
    }

    @Test func `removes a waiting transfer without blocking the others`() {
        var lanes = Lanes(limit: 1)
        let (first, second, third) = (Item("1"), Item("2"), Item("3"))
        lanes.enqueue(first, a, limit: 1)
        lanes.enqueue(second, a, limit: 1)
        lanes.enqueue(third, b, limit: 1)
        lanes.remove(first, a)
        lanes.remove(first, a)
        #expect(lanes.waiting == 2)
        lanes.remove(second, a)
        #expect(drain(&lanes) == "3")
        lanes.enqueue(first, a, limit: 0)
        #expect(drain(&lanes).isEmpty)
        lanes.release(b, multiplexed: nil)
        #expect(drain(&lanes) == "1")
    }

    @Test func `obeys a lowered limit`() {
        var lanes = Lanes(limit: 100)
        for name in ["1", "2"] { lanes.enqueue(Item(name), a, limit: 2) }
        #expect(lanes.next()?.name == "1")
        lanes.enqueue(Item("3"), a, limit: 1)
        #expect(drain(&lanes).isEmpty)
        lanes.release(a, multiplexed: nil)
        #expect(drain(&lanes) == "2")
    }
}
