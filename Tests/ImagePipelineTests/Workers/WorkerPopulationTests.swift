import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import ImagePipeline

/// Workers start when jobs need them, and end when fewer have sufficed for a while.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct WorkerPopulationTests {
    @Test func `keeps one process for each job and one for the next, up to its slots`() {
        var population = WorkerPopulation(slots: 4, idle: 1_000, at: 0)
        #expect(population.count == 1)
        #expect(population.need(.init(jobs: 0), at: 0) == 0)
        #expect(population.need(.init(jobs: 1), at: 1) == 1)
        #expect(population.need(.init(jobs: 1), at: 2) == 0)
        #expect(population.need(.init(jobs: 900), at: 3) == 2)
        #expect(population.need(.init(jobs: 900), at: 4) == 0 && population.count == 4)
    }

    @Test
    func `the last process is for other clients, and leaves when one client has used the others for the idle time`() {
        var population = WorkerPopulation(slots: 3, idle: 1_000, at: 0)
        #expect(population.need(.init(jobs: 900, isOneClients: true), at: 0) == 1)
        #expect(population.need(.init(jobs: 2, isOneClients: false), at: 10) == 1)
        #expect(population.need(.init(jobs: 2, isOneClients: true), at: 500) == 0)
        #expect(!population.leave(at: 1_009) && population.leave(at: 1_010) && population.count == 2)
        var single = WorkerPopulation(slots: 1, idle: 1_000, at: 0)
        #expect(single.need(.init(jobs: 9, isOneClients: true), at: 0) == 0 && single.count == 1)
    }

    @Test func `demand is one client's unless another has a job, or a background job waits or runs`() throws {
        var schedule = TransformSchedule<Int>(.init(workers: 3))
        func job(_ id: UInt64, _ account: String?, _ priority: RequestPriority = .normal) -> TransformSchedule<Int>.Job
        {
            .init(id: id, account: account, priority: priority, cost: 1, item: 0)
        }
        for id in 1...4 { _ = try schedule.append(job(UInt64(id), "a"), at: 0) }
        #expect(TransformDemand(of: schedule) == .init(jobs: 4, isOneClients: true))
        let first = schedule.take(at: 0)
        #expect(TransformDemand(of: schedule) == .init(jobs: 4, isOneClients: true))
        _ = try schedule.append(job(5, "b"), at: 0)
        #expect(TransformDemand(of: schedule) == .init(jobs: 5, isOneClients: false))
        while let next = schedule.take(at: 0) { schedule.settle(next.id, at: 1) }
        if let first { schedule.settle(first.id, at: 1) }
        _ = try schedule.append(job(6, "b"), at: 1)
        #expect(TransformDemand(of: schedule) == .init(jobs: 1, isOneClients: true))
        if let next = schedule.take(at: 1) { schedule.settle(next.id, at: 2) }
        for account in ["a", nil] {
            _ = try schedule.append(job(7, account, .background), at: 2)
            _ = try schedule.append(job(8, account, .background), at: 2)
            #expect(TransformDemand(of: schedule) == .init(jobs: 1, isOneClients: false))
            let behind = [schedule.takeBehind(ready: 3, at: 2), schedule.takeBehind(ready: 3, at: 2)].compactMap(\.self)
            #expect(TransformDemand(of: schedule) == .init(jobs: 2, isOneClients: false))
            for run in behind { schedule.settle(run.id, at: 3) }
        }
        _ = try schedule.append(job(9, nil), at: 3)
        #expect(!TransformDemand(of: schedule).isOneClients)
    }

    @Test func `one client's jobs leave the last slot without a process until another client has a job`() async throws {
        try await PoolBench.withPool(workers: 3) {
            $0.idleTime = Self.long
        } _: { pool in
            let ended = Signal(0)
            func run(_ account: String) throws {
                var job = try PoolBench.job()
                job.account = account
                _ = pool.transform(job) { _ in ended.update { $0 += 1 } }
            }
            for _ in 0..<6 { try run("a") }
            try await pool.wait { _ in ended.value == 6 }
            try await pool.wait { $0.ready == 2 }
            #expect(pool.statistics.starts == 2)
            var job = try PoolBench.slowJob()
            job.account = "a"
            let slow = pool.transform(job) { _ in }
            try run("b")
            try await pool.wait { $0.ready == 3 && ended.value == 7 }
            #expect(pool.statistics.starts == 3)
            slow.cancel()
        }
    }

    @Test func `processes leave one after another, each when it has not been needed for the idle time, and one stays`()
    {
        var population = WorkerPopulation(slots: 4, idle: 1_000, at: 0)
        #expect(population.need(.init(jobs: 3), at: 0) == 3)
        #expect(population.need(.init(jobs: 1), at: 400) == 0)
        #expect(population.remaining(at: 400) == 600)
        #expect(population.leave(at: 999) == false)
        #expect(population.leave(at: 1_000) && population.leave(at: 1_000))
        // Two were needed at 400.
        #expect(!population.leave(at: 1_000) && population.remaining(at: 1_000) == 400)
        #expect(population.leave(at: 1_400) && population.count == 1)
        #expect(!population.leave(at: .max) && population.remaining(at: .max) == nil)
        #expect(population.need(.init(jobs: 1), at: 9_000) == 1)
        #expect(population.leave(at: 9_999) == false)
    }

    @Test func `without an idle time all slots have a process, and none leaves`() {
        var population = WorkerPopulation(slots: 3, idle: nil, at: 0)
        #expect(population.need(.init(jobs: 0), at: 0) == 2)
        #expect(!population.leave(at: .max) && population.remaining(at: 0) == nil)
        population.idle = 10
        #expect(population.leave(at: 10) && population.leave(at: 10) && !population.leave(at: .max))
        population.idle = nil
        #expect(population.need(.init(jobs: 0), at: 20) == 2)
    }

    /// An idle time that no test waits for.
    private static let long = 3_600_000

    @Test func `a pool starts one worker, and others only once a job runs`() async throws {
        try await PoolBench.withPool(workers: 3) {
            $0.idleTime = Self.long
        } _: { pool in
            try await pool.wait { $0.ready == 1 && pool.condition == .ready }
            #expect(pool.statistics.starts == 1)
            #expect(pool.statistics.workers.map(\.isFilled) == [true, false, false])
            let slow = pool.transform(try PoolBench.slowJob()) { _ in }
            // One for the job, and one for the next job, which need not wait for either.
            try await pool.wait { $0.ready == 2 && $0.workers.count(where: \.isBusy) == 1 }
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(pool.statistics.starts <= 3)
            slow.cancel()
        }
    }

    @Test func `jobs at once start as many workers as there are slots, and all jobs run`() async throws {
        try await PoolBench.withPool(workers: 3) {
            $0.idleTime = Self.long
        } _: { pool in
            let jobs = try (0..<6).map { _ in try PoolBench.job() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for job in jobs { group.addTask { _ = try await pool.result(of: job).get() } }
                try await group.waitForAll()
            }
            try await pool.wait { $0.ready == 3 }
            #expect(pool.statistics.jobs == 6 && pool.statistics.starts == 3)
        }
    }

    @Test func `idle workers end but for one, which runs the next job without a start`() async throws {
        try await PoolBench.withPool(workers: 3) {
            $0.idleTime = 100
        } _: { pool in
            let job = try PoolBench.slowJob()
            let ended = Signal(0)
            // None is cancelled, so that no worker is replaced.
            for _ in 0..<3 { _ = pool.transform(job) { _ in ended.update { $0 += 1 } } }
            try await pool.wait { $0.starts == 3 }
            let pids = pool.statistics.workers.map(\.pid).filter { $0 != 0 }
            try await pool.wait { _ in ended.value == 3 }
            try await pool.wait { $0.ready == 1 && $0.workers.count { $0.pid == 0 } == 2 }
            #expect(pids.count { kill($0, 0) == 0 } <= 1)
            #expect(pool.statistics.workers.allSatisfy { $0.isFilled == ($0.pid != 0) })
            let starts = pool.statistics.starts
            #expect(starts == 3)
            let before = pool.statistics.workers.first { $0.pid != 0 }?.pid
            let pid = try #require(before)
            pool.setIdleTime(Self.long)
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(pool.statistics.workers.contains { $0.pid == pid && $0.jobs >= 1 })
            try await pool.wait { _ in pool.condition == .ready }
            // Another one waits for the next job again.
            try await pool.wait { $0.ready == 2 && $0.starts == starts + 1 }
        }
    }

    @Test func `the worker that stays is replaced when it ends`() async throws {
        try await PoolBench.withPool(workers: 2) {
            $0.idleTime = Self.long
        } _: { pool in
            try await pool.wait { $0.ready == 1 }
            kill(pool.statistics.workers[0].pid, SIGKILL)
            try await pool.wait { $0.starts == 2 && $0.ready == 1 }
            _ = try await pool.result(of: PoolBench.job()).get()
        }
    }

    @Test func `a background job starts a worker, so that one stays free`() async throws {
        try await PoolBench.withPool(workers: 2) {
            $0.idleTime = Self.long
        } _: { pool in
            try await pool.wait { $0.ready == 1 }
            _ = try await pool.result(of: PoolBench.job(priority: .background)).get()
            #expect(pool.statistics.starts == 2)
        }
    }

    @Test func `an idle time of 0 starts all workers of a running pool, and another one lets them end`() async throws {
        try await PoolBench.withPool(workers: 3) {
            $0.idleTime = Self.long
        } _: { pool in
            try await pool.wait { $0.ready == 1 }
            pool.setIdleTime(0)
            try await pool.wait { $0.ready == 3 }
            pool.setIdleTime(1)
            try await pool.wait { $0.ready == 1 }
        }
    }

    @Test func `the only worker that is ready stays, and sleeps until another one has started`() async throws {
        let time = CountingTime()
        try await PoolBench.withStoppedWorkers(2, time: time) {
            $0.idleTime = 50
        } _: { pool in
            let first = try await pool.start(slot: 0)
            try await pool.resume(first) { $0.ready == 1 }
            _ = try await pool.result(of: PoolBench.job()).get()
            let second = try await pool.start(slot: 1)
            // No job has needed the second one for longer than the idle time, but it has not greeted.
            try await Task.sleep(nanoseconds: 200_000_000)
            let before = time.readings
            try await Task.sleep(nanoseconds: 200_000_000)
            #expect(time.readings - before < 20)
            #expect(pool.statistics.ready == 1 && kill(second, 0) == 0)
            try await pool.resume(second) { $0.ready == 1 && $0.workers.count { $0.pid != 0 } == 1 }
        }
    }
}

/// The system clocks, which count how often they are read.
private final class CountingTime: TimeSource {
    private let count = Atomic(0)
    var readings: Int { count.load(ordering: .relaxed) }

    var monotonic: Int64 {
        count.add(1, ordering: .relaxed)
        return SystemTime().monotonic
    }

    var wallSeconds: Int64 { SystemTime().wallSeconds }
}
