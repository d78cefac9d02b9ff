import HTTPSemantics
import Testing

@testable import ImagePipeline

/// The order in which clients' jobs start.
@Suite(.timeLimit(.minutes(1)))
struct TransformScheduleTests {
    /// Limits under which nothing is refused or dropped.
    private func patient(workers: Int) -> ScheduleBench {
        ScheduleBench(workers: workers) {
            $0.queueTime = 1_000_000_000_000
            $0.patience = 1_000_000_000_000
        }
    }

    @Test func `a client with one job does not wait for another's fifty`() throws {
        let bench = patient(workers: 1)
        for index in 0..<50 { try bench.add("a\(index)", of: "a") }
        #expect(bench.run(3) { _ in 10 } == ["a0", "a1", "a2"])
        try bench.add("b", of: "b")
        #expect(bench.take() == "b")
    }

    @Test func `clients share worker time equally, not jobs`() throws {
        let bench = patient(workers: 1)
        for index in 0..<40 {
            try bench.add("long\(index)", of: "a", cost: 40)
            try bench.add("short\(index)", of: "b", cost: 10)
        }
        let order = bench.run(25) { $0.hasPrefix("long") ? 40 : 10 }
        #expect(order.count { $0.hasPrefix("long") } == 5)
        #expect(order.count { $0.hasPrefix("short") } == 20)
    }

    @Test func `a client is charged what its jobs took, not what was expected`() throws {
        let bench = patient(workers: 1)
        for index in 0..<40 {
            try bench.add("bomb\(index)", of: "a", cost: 1)
            try bench.add("small\(index)", of: "b", cost: 20)
        }
        // Each bomb takes as long as twenty small images.
        let order = bench.run(22) { $0.hasPrefix("bomb") ? 400 : 20 }
        #expect(order.first == "bomb0")
        #expect(order[1...20].allSatisfy { $0.hasPrefix("small") }, "\(order)")
        #expect(order.last == "bomb1")
    }

    @Test func `a job that took less than expected is refunded`() throws {
        let bench = patient(workers: 1)
        for index in 0..<10 {
            try bench.add("a\(index)", of: "a", cost: 1_000)
            try bench.add("b\(index)", of: "b", cost: 10)
        }
        let order = bench.run(10) { _ in 10 }
        #expect(order.count { $0.hasPrefix("a") } == 5, "\(order)")
    }

    @Test func `a client is charged for a running job that exceeds its expected duration`() throws {
        let bench = patient(workers: 3)
        for name in ["a1", "a2", "a3"] { try bench.add(name, of: "a", cost: 10) }
        try bench.add("b1", of: "b", cost: 100)
        try bench.add("b2", of: "b", cost: 100)
        #expect([bench.take(), bench.take()] == ["a1", "b1"])
        bench.now = 90
        bench.end("b1")
        // a1 still runs, and has taken as much as b1.
        bench.now = 95
        #expect(bench.take() == "b2")
    }

    @Test func `a debt survives a pause of the client, and shrinks with time`() throws {
        let bench = patient(workers: 1)
        try bench.add("a", of: "a", cost: 1)
        try bench.add("b", of: "b", cost: 1)
        #expect(bench.run(1) { _ in 5_000 } == ["a"])
        try bench.add("a2", of: "a", cost: 1)
        try bench.add("b2", of: "b", cost: 1)
        #expect(bench.run(2) { _ in 1 } == ["b", "b2"])
        #expect(bench.run(1) { _ in 1 } == ["a2"])
        bench.now += 10_000
        for name in ["b", "c"] { try bench.add("\(name)3", of: name, cost: 1) }
        try bench.add("a3", of: "a", cost: 1)
        #expect(Set(bench.run(3) { _ in 1 }) == ["a3", "b3", "c3"])
        #expect(bench.schedule.accounts.isEmpty)
    }

    @Test func `waiting gains no credit`() throws {
        let bench = patient(workers: 1)
        for index in 0..<20 { try bench.add("a\(index)", of: "a") }
        _ = bench.run(10) { _ in 10 }
        for index in 0..<10 { try bench.add("b\(index)", of: "b") }
        let order = bench.run(10) { _ in 10 }
        #expect(order.count { $0.hasPrefix("a") } >= 4, "\(order)")
    }

    @Test func `one client never takes the last worker, also if no other is there`() throws {
        let bench = patient(workers: 3)
        for index in 0..<6 { try bench.add("a\(index)", of: "a") }
        #expect([bench.take(), bench.take(), bench.take()] == ["a0", "a1", nil])
        try bench.add("b", of: "b")
        #expect(bench.take() == "b")
        bench.end("a0")
        #expect(bench.take() == "a2" && bench.take() == nil)
        let single = patient(workers: 1)
        try single.add("a", of: "a")
        #expect(single.take() == "a")
    }

    @Test func `urgency orders a client's own jobs only`() throws {
        let bench = patient(workers: 1)
        try bench.add("a1", of: "a", .low)
        try bench.add("a2", of: "a", .normal)
        try bench.add("a3", of: "a", .high)
        for index in 1...3 { try bench.add("b\(index)", of: "b", .high) }
        let order = bench.run(6) { _ in 10 }
        #expect(order == ["a3", "b1", "a2", "b2", "a1", "b3"])
    }

    @Test func `waiting raises urgency`() throws {
        let bench = ScheduleBench(workers: 1) {
            $0.queueTime = 2_000_000_000
            $0.patience = 1_000_000_000_000
        }
        try bench.add("low", of: "a", .low)
        bench.now = 600
        try bench.add("normal", of: "a", .normal)
        #expect(bench.take() == "low")
    }

    @Test func `the newest start first once the oldest has waited for 100 ms, and every eighth time the oldest`() throws
    {
        let bench = ScheduleBench(workers: 1) { $0.queueTime = 1_000_000_000_000 }
        for index in 0..<20 { try bench.add("\(index)", of: "a") }
        bench.now = 100
        #expect(bench.take() == "0")
        bench.end("0")
        bench.now = 102
        let order = bench.run(9) { _ in 0 }
        #expect(order == ["19", "18", "17", "16", "15", "14", "13", "1", "12"])
    }

    @Test func `jobs that have waited for the queue time are dropped, oldest first`() throws {
        let bench = ScheduleBench(workers: 1)
        try bench.add("b1", of: "b")
        try bench.add("a1", of: "a")
        try bench.add("refresh", of: nil, .low)
        try bench.add("warm", of: nil, .background)
        bench.now = 1_000
        try bench.add("a2", of: "a")
        bench.now = 1_999
        #expect(bench.expire() == [])
        bench.now = 2_000
        #expect(bench.expire() == ["b1", "a1"])
        #expect(bench.schedule.waiting == 2 && bench.schedule.waitingBehind == 1)
        bench.now = 100_000
        #expect(bench.expire() == ["a2"])
    }

    @Test func `background jobs start while no other job waits and a worker stays free, clients in turn`() throws {
        let bench = patient(workers: 3)
        for index in 0..<3 { try bench.add("prefetch\(index)", of: "a", .background) }
        try bench.add("other", of: "b", .background)
        try bench.add("warm", of: nil, .background)
        try bench.add("now", of: "c")
        #expect(bench.takeBehind() == nil)
        #expect(bench.take() == "now" && bench.take() == nil)
        #expect(bench.takeBehind() == "prefetch0" && bench.takeBehind() == nil)
        bench.end("now")
        #expect(bench.takeBehind() == "other" && bench.takeBehind() == nil)
        // A request for the same image.
        #expect(bench.update("prefetch2", for: [Claim("a", .normal)]))
        #expect(bench.take() == "prefetch2")
        for name in ["prefetch0", "other", "prefetch2"] { bench.end(name) }
        #expect(Set([bench.takeBehind(), bench.takeBehind()]) == ["prefetch1", "warm"] && bench.takeBehind() == nil)
    }

    @Test func `a background job that has waited for ten queue times starts under a lasting load, one in that time`()
        throws
    {
        let bench = ScheduleBench(workers: 2) { $0.patience = 1_000_000_000_000 }
        for index in 0..<3 { try bench.add("prefetch\(index)", of: "a", .background) }
        var started: [(name: String, time: Int64)] = []
        // A client whose next job always waits.
        for second in 0..<60 {
            bench.now = Int64(second) * 1_000
            try bench.add("job\(second)", of: "b", cost: 1)
            try bench.add("other\(second)", of: "c", cost: 1)
            for _ in 0..<3 {
                guard let name = bench.take() else { continue }
                if name.hasPrefix("prefetch") { started.append((name, bench.now)) }
                bench.end(name)
            }
            _ = bench.expire()
        }
        #expect(started.map(\.name) == ["prefetch0", "prefetch1"])
        #expect(started.map(\.time) == [20_000, 40_000])
        #expect(bench.schedule.waitingBehind == 1)
    }

    @Test func `a client's background job that has waited for long does not take the last worker`() throws {
        let bench = ScheduleBench(workers: 2) { $0.patience = 1_000_000_000_000 }
        try bench.add("prefetch", of: "a", .background)
        bench.now = 10_000
        try bench.add("own", of: "a")
        #expect(bench.take() == "own")
        bench.now = 20_000
        for name in ["other", "another"] { try bench.add(name, of: "b") }
        #expect(bench.take() == "other")
        bench.end("own")
        #expect(bench.take() == "prefetch")
    }

    @Test func `of background jobs that have waited for long only one runs while others wait`() throws {
        let bench = ScheduleBench(workers: 3) { $0.patience = 1_000_000_000_000 }
        for index in 0..<2 { try bench.add("prefetch\(index)", of: "a", .background) }
        bench.now = 20_000
        for index in 0..<4 { try bench.add("job\(index)", of: "b") }
        #expect(bench.take() == "prefetch0")
        bench.now = 45_000
        for index in 4..<8 { try bench.add("job\(index)", of: "b") }
        #expect(bench.take()?.hasPrefix("job") == true)
        bench.end("prefetch0")
        #expect(bench.take() == "prefetch1")
    }

    @Test func `the daemon's own low jobs come after all clients' until they have waited for the queue time`() throws {
        let bench = ScheduleBench(workers: 1) { $0.patience = 1_000_000_000_000 }
        try bench.add("refresh", of: nil, .low)
        try bench.add("a1", of: "a", .low)
        #expect(bench.take() == "a1")
        bench.end("a1")
        bench.now = 2_000
        try bench.add("a2", of: "a")
        try bench.add("a3", of: "a")
        #expect(Set([bench.run(2) { _ in 10 }].joined()) == ["refresh", "a2"])
    }

    @Test func `smaller jobs do not overtake one that exceeds the budget of bytes`() throws {
        let bench = ScheduleBench(workers: 4) { $0.bytes = 10 }
        try bench.add("a", of: "a", bytes: 8)
        try bench.add("b", of: "b", bytes: 3)
        try bench.add("c", of: "c", bytes: 1)
        #expect(bench.take() == "a" && bench.take() == nil)
        bench.end("a")
        #expect([bench.take(), bench.take()] == ["b", "c"] && bench.schedule.bytes == 4)
        try bench.add("huge", of: "d", bytes: 100)
        #expect(bench.take() == nil)
        bench.end("b")
        bench.end("c")
        #expect(bench.take() == "huge")
    }

    @Test func `a removed job leaves no trace`() throws {
        let bench = patient(workers: 1)
        try bench.add("a", of: "a")
        try bench.add("warm", of: nil, .background)
        #expect(bench.remove("a") && !bench.remove("a"))
        #expect(bench.remove("warm"))
        #expect(bench.schedule.accounts.isEmpty && bench.schedule.waiting + bench.schedule.waitingBehind == 0)
        #expect(bench.take() == nil && bench.takeBehind() == nil)
    }

    @Test func `debts are bounded, and the smallest is forgotten first`() {
        var debts = TransformDebts()
        for index in 0..<2_000 { debts.insert("\(index)", Int64(index) * 1_000, level: 100_000, at: 0) }
        #expect(debts.count <= TransformDebts.capacity)
        #expect(debts.charge(of: "50", at: 0) == .min)
        #expect(debts.charge(of: "1999", at: 0) == 1_999_000)
        #expect(debts.charge(of: "1999", at: 9_000) == 1_990_000)
    }
}
