import HTTPSemantics
import LinuxSystem
import Testing

@testable import ImagePipeline

/// Jobs that several clients wait for: in whose turn they start, and who pays.
@Suite(.timeLimit(.minutes(1)))
struct TransformTurnTests {
    typealias Schedule = ScheduleBench.Schedule

    private let a = Claim("a", .normal)
    private let b = Claim("b", .normal)
    private let c = Claim("c", .normal)

    /// A schedule in which a client has filled the queue with ten jobs of 100 ms, of which the first runs.
    private func flooded(workers: Int = 1, queueTime: Int64 = 1_000_000, _ accounts: ClientAccounts? = nil) throws
        -> ScheduleBench
    {
        let bench = ScheduleBench(workers: workers, accounts) {
            $0.queueTime = queueTime * 1_000_000
            $0.patience = 1_000_000_000_000
        }
        for index in 0..<10 { try bench.add("a\(index)", of: "a", cost: 100) }
        #expect(bench.take() == "a0")
        return bench
    }

    @Test func `a job that another client joins starts in that client's turn, if it comes first, and is charged to it`()
        throws
    {
        let bench = try flooded()
        #expect(bench.update("a7", for: [a, b]))
        bench.now = 100
        bench.end("a0")
        #expect(bench.take() == "a7" && bench.schedule.running(of: "b") == 1 && bench.schedule.running(of: "a") == 0)
        // It waits nowhere else.
        #expect(bench.schedule.waiting == 8 && bench.schedule.shared == 0 && bench.accounts(of: "a7") == nil)
        // Both have been charged as much, and the first has waited for longer.
        try bench.add("b0", of: "b", cost: 100)
        bench.now = 200
        bench.end("a7")
        #expect(bench.take() == "a1")
    }

    @Test func `a job that another client joins keeps its place among its first client's`() throws {
        let bench = try flooded()
        // The second client has jobs of its own that are more urgent, and comes later than the first.
        for index in 0..<6 { try bench.add("b\(index)", of: "b", .high, cost: 400) }
        #expect(bench.update("a1", for: [a, Claim("b", .low)]))
        bench.now = 100
        bench.end("a0")
        #expect(bench.take() == "b0")
        bench.now = 500
        bench.end("b0")
        #expect(bench.take() == "a1" && bench.schedule.running(of: "a") == 1)
    }

    @Test func `who joins pays what a job of its own would have cost, and delays others no more`() throws {
        func order(joins: Bool) throws -> [String] {
            let bench = try flooded()
            for index in 1...4 {
                try bench.add("c\(index)", of: "c", cost: 100)
                if joins {
                    bench.update("a\(index + 5)", for: [a, b])
                } else {
                    try bench.add("b\(index)", of: "b", cost: 100)
                }
            }
            bench.now = 100
            bench.end("a0")
            return bench.run(12) { _ in 100 }
        }
        let (joined, own) = (try order(joins: true), try order(joins: false))
        // The same clients take turns.
        #expect(own.map { $0.prefix(1) } == ["c", "b", "a", "c", "b", "a", "c", "b", "a", "c", "b", "a"])
        #expect(joined.prefix(9) == ["c1", "a6", "a1", "c2", "a7", "a2", "c3", "a8", "a3"])
    }

    @Test func `what others have joined does not let a client's own jobs be refused`() throws {
        let bench = try flooded(queueTime: 1_050)
        #expect(bench.wait(of: "a") == 1_000)
        for index in 1...9 { bench.update("a\(index)", for: [a, b]) }
        #expect(bench.wait(of: "a") == 1_000 && bench.wait(of: "b") == 1_000)
        #expect(bench.schedule.waitingCost == 900_000_000)
        try bench.add("a10", of: "a", cost: 100)
        // For a third client, one job of either is before its first.
        #expect(bench.wait(of: "c") == 200)
    }

    @Test func `a client whose turn would come too late does not join, unless it is the first that waits`() throws {
        let bench = try flooded(queueTime: 2_000)
        while bench.wait(of: "b") <= 2_000 { try bench.add("b\(bench.schedule.waiting)", of: "b", cost: 100) }
        let waiting = bench.schedule.waiting
        #expect(!bench.update("a7", for: [a, b]))
        // Work that no client waits for is never refused.
        try bench.add("refresh", of: nil, .low)
        try bench.add("prefetch", of: "a", .background)
        for name in ["refresh", "prefetch"] { #expect(bench.update(name, for: [b])) }
        #expect(bench.schedule.waitingBehind == 0 && bench.schedule.waiting == waiting + 2)
        // If it leaves, nobody waits again.
        #expect(bench.update("prefetch", for: [Claim("a", .background)]))
        #expect(bench.schedule.waitingBehind == 1 && bench.schedule.waiting == waiting + 1)
    }

    @Test func `a client that leaves before the job starts is not charged`() throws {
        let bench = try flooded()
        bench.update("a7", for: [a, b])
        #expect(!bench.update("a7", for: [a]))
        try bench.add("b0", of: "b", cost: 100)
        bench.now = 100
        bench.end("a0")
        #expect(bench.run(3) { _ in 100 } == ["b0", "a1", "a2"])
        #expect(bench.schedule.shared == 0)
        // The first client has left, too.
        bench.update("a9", for: [a, c])
        bench.update("a9", for: [c])
        #expect(bench.take() == "a9" && bench.schedule.running(of: "c") == 1)
    }

    @Test func `a job of a client that is refused waits among those of another one`() throws {
        let bench = try flooded(queueTime: 900)
        #expect(throws: Schedule.Refusal.late(1_000_000_000)) { try bench.add("a10", of: "a", cost: 100) }
        #expect(throws: Schedule.Refusal.late(1_000_000_000)) { try bench.add("a11", for: [a, Claim("a", .high)]) }
        try bench.add("a12", for: [a, b])
        bench.now = 100
        bench.end("a0")
        #expect(bench.take() == "a12" && bench.schedule.running(of: "b") == 1)
    }

    @Test func `a job expires when it has waited for the queue time of each client`() throws {
        let bench = try flooded(queueTime: 1_500)
        bench.now = 1_000
        bench.update("a8", for: [a, b])
        bench.update("a9", for: [a, b])
        bench.now = 1_500
        #expect(bench.expire() == (1...7).map { "a\($0)" } && bench.schedule.waiting == 2)
        bench.end("a0")
        #expect(bench.take() == "a8" && bench.schedule.running(of: "b") == 1)
        bench.now = 2_500
        #expect(bench.expire() == ["a9"] && bench.schedule.waiting == 0)
    }

    @Test func `a full queue displaces jobs for which no small client waits`() throws {
        let bench = try flooded()
        bench.schedule.limits.waiting = 9
        bench.update("a1", for: [a, b])
        #expect(try bench.add("c0", of: "c", cost: 100) == "a2")
        bench.now = 100
        bench.end("a0")
        // The other client's job has only lost its place among the first one's.
        #expect(bench.accounts(of: "a1") == ["b"])
        #expect(Set(bench.run(2) { _ in 100 }) == ["a1", "c0"])
        // With an accomplice, a client does not keep others out.
        let shared = try flooded()
        shared.schedule.limits.waiting = 9
        for index in 1...9 { shared.update("a\(index)", for: [a, b]) }
        #expect(try shared.add("c0", of: "c", cost: 100) == "a1")
    }

    @Test func `clients that join a running job count when it is queued again`() throws {
        let bench = try flooded(workers: 2)
        try bench.add("other", of: "d", cost: 5_000)
        #expect(bench.take() == "other")
        #expect(!bench.update("a0", for: [a, b]) && bench.schedule.running(of: "a") == 1)
        bench.now = 400
        #expect(bench.stops() == ["a0"])
        bench.putBack("a0")
        #expect(bench.update("a0", for: [a, b]))
        #expect(bench.take() == "a0" && bench.schedule.running(of: "b") == 1)
        // Its second attempt is not ended for others.
        bench.now = 1_000
        #expect(bench.stops() == [])
    }

    @Test func `a job is counted for each client that waits for it, and runs for one`() throws {
        let accounts = ClientAccounts()
        let bench = try flooded(accounts)
        bench.update("a7", for: [a, b, c])
        #expect(["a", "b", "c"].map { accounts.use(of: $0).waitingTransforms } == [9, 1, 1])
        bench.update("a7", for: [a, b])
        bench.now = 100
        bench.end("a0")
        accounts.endTransform(of: "a", milliseconds: 100)
        #expect(bench.take() == "a7")
        #expect(["a", "b", "c"].map { accounts.use(of: $0).waitingTransforms } == [8, 0, 0])
        #expect(["a", "b", "c"].map { accounts.use(of: $0).transforms } == [0, 1, 0])
        #expect(bench.schedule.drain(at: 0).count == 8)
        #expect(accounts.use(of: "a").waitingTransforms == 0)
    }
}
