import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

/// Clients that compete for real workers, some with images that take far longer than expected.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct OverloadTests {
    private typealias Outcome = Signal<Result<TransformResult, PipelineError>?>

    private func bomb(of account: String) throws -> TransformJob {
        var job = try PoolBench.unstoppableJob()
        // By its size, it is expected to take a few milliseconds.
        job.header = ImageHeader(format: .svg, width: 30, height: 30)
        job.account = account
        return job
    }

    private func small(of account: String) throws -> TransformJob {
        var job = try PoolBench.job()
        job.account = account
        return job
    }

    private func start(_ job: TransformJob, on pool: WorkerPool) -> (handle: any TransformHandle, outcome: Outcome) {
        let outcome = Outcome(nil)
        return (pool.transform(job) { result in outcome.update { $0 = result } }, outcome)
    }

    @Test func `one client's slow images leave a worker to others`() async throws {
        #expect(PoolBench.bomb.count < 300)
        try await PoolBench.withPool(workers: 3) {
            $0.abandonGrace = 0
        } _: { pool in
            try await pool.wait { $0.ready == 3 }
            let bombs = try (0..<6).map { _ in start(try bomb(of: "a"), on: pool) }
            try await pool.wait { $0.workers.count(where: \.isBusy) == 2 }
            for _ in 0..<5 {
                _ = try await pool.result(of: small(of: "b")).get()
                let statistics = pool.statistics
                #expect(statistics.workers.count(where: \.isBusy) <= 3 && statistics.refused == 0)
            }
            #expect(bombs.allSatisfy { $0.outcome.value == nil }, "all bombs still wait or run")
            #expect(pool.statistics.overruns == 0, "a worker was free all the time")
            for bomb in bombs { bomb.handle.cancel() }
        }
    }

    @Test func `a job that takes too long gives way, runs again last, and a useless one ends at once`() async throws {
        try await PoolBench.withPool {
            $0.abandonGrace = 60_000
            $0.shortestRun = 50
        } _: { pool in
            try await pool.wait { $0.ready == 1 }
            let heavy = try bomb(of: "a")
            let bomb = start(heavy, on: pool)
            try await pool.wait { $0.workers[0].isBusy }
            _ = try await pool.result(of: small(of: "b")).get()
            #expect(bomb.outcome.value == nil && pool.statistics.overruns == 1)
            // The second attempt.
            try await pool.wait { $0.workers[0].isBusy && $0.queued == 0 }
            let waiting = start(try small(of: "b"), on: pool)
            try await pool.wait { $0.queued == 1 }
            bomb.handle.cancel()
            #expect(throws: Never.self) { try waiting.outcome.wait { $0 != nil }?.get() }
            #expect(pool.statistics.overruns == 1)
            // A useless job with time to spare also ends if a job arrives later.
            let second = start(heavy, on: pool)
            try await pool.wait { $0.workers[0].isBusy && $0.queued == 0 }
            second.handle.cancel()
            _ = try await pool.result(of: small(of: "c")).get()
        }
    }

    @Test func `a job that can be stopped gives way without the end of its worker`() async throws {
        try await PoolBench.withPool {
            // A worker that does not stop would be waited for.
            ($0.abandonGrace, $0.stopGrace, $0.shortestRun) = (60_000, 60_000, 50)
        } _: { pool in
            try await pool.wait { $0.ready == 1 }
            let worker = pool.statistics.workers[0].pid
            var heavy = try PoolBench.slowJob()
            heavy.account = "a"
            let slow = start(heavy, on: pool)
            try await pool.wait { $0.workers[0].isBusy }
            _ = try await pool.result(of: small(of: "b")).get()
            #expect(slow.outcome.value == nil && pool.statistics.overruns == 1)
            // The second attempt.
            try await pool.wait { $0.workers[0].isBusy && $0.queued == 0 }
            let left = start(heavy, on: pool)
            slow.handle.cancel()
            left.handle.cancel()
            _ = try await pool.result(of: small(of: "b")).get()
            #expect(pool.statistics.restarts == 0 && pool.statistics.workers[0].pid == worker)
        }
    }

    @Test func `a job whose client's turn would come too late is refused at once`() async throws {
        try await PoolBench.withPool { pool in
            var long = try PoolBench.slowJob()
            long.account = "a"
            // Expected to take some ten seconds.
            long.header = ImageHeader(format: .png, width: 20_000, height: 20_000)
            let slow = start(long, on: pool)
            try await pool.wait { $0.workers[0].isBusy }
            guard case .failure(.overloaded(let reason)) = try await pool.result(of: small(of: "b")) else {
                Issue.record("must be refused")
                return
            }
            #expect(reason.contains("and requests wait for 2000 ms at most"), "\(reason)")
            #expect(pool.statistics.refused == 1 && pool.statistics.predictedWait > 2_000)
            pool.setQueueTime(60_000)
            let waiting = start(try small(of: "b"), on: pool)
            try await pool.wait { $0.queued == 1 }
            #expect(pool.statistics.waitingAccounts == 1)
            slow.handle.cancel()
            #expect(throws: Never.self) { try waiting.outcome.wait { $0 != nil }?.get() }
        }
    }

    @Test func `what a worker does after the last client has left is counted, and ends when another job arrives`()
        async throws
    {
        let time = ManualTime()
        var configuration = WorkerPool.Configuration(workers: 1)
        configuration.abandonGrace = 60_000
        configuration.stopGrace = 0
        // It takes far longer than expected, which must not end it.
        configuration.shortestRun = 60_000
        let pool = try WorkerPool(configuration, time: time)
        defer { pool.stop() }
        let slow = start(try bomb(of: "a"), on: pool)
        // Its run counts from its start on the worker.
        try await pool.wait { $0.workers[0].isBusy }
        time.advance(seconds: 1)
        let left = start(try bomb(of: "a"), on: pool)
        try await pool.wait { $0.queued == 1 }
        // Nobody waits for it when a worker is free: it never starts.
        left.handle.cancel()
        time.advance(seconds: 2)
        slow.handle.cancel()
        time.advance(seconds: 5)
        #expect(pool.statistics.busy == 0, "it has time to finish while no other job waits")
        let first = start(try small(of: "b"), on: pool)
        #expect(throws: Never.self) { try first.outcome.wait { $0 != nil }?.get() }
        try await pool.wait { !$0.workers[0].isBusy }
        #expect(pool.statistics.busy == 8_000_000_000 && pool.statistics.abandoned == 5_000_000_000)
        #expect(pool.statistics.jobs == 1, "the small one")
        // A job whose client stays until the end adds nothing.
        let last = start(try small(of: "b"), on: pool)
        #expect(throws: Never.self) { try last.outcome.wait { $0 != nil }?.get() }
        last.handle.cancel()
        #expect(pool.statistics.abandoned == 5_000_000_000)
    }

    @Test func `a job leaves the queue after the queue time although no worker is free`() async throws {
        let time = ManualTime()
        let pool = try WorkerPool(WorkerPool.Configuration(workers: 1), time: time)
        defer { pool.stop() }
        let slow = start(try PoolBench.slowJob(), on: pool)
        try await pool.wait { $0.workers[0].isBusy }
        let waiting = start(try small(of: "a"), on: pool)
        #expect(pool.statistics.queued == 1 && waiting.outcome.value == nil)
        time.advance(seconds: 2)
        guard case .failure(.overloaded(let reason)) = try waiting.outcome.wait(until: { $0 != nil }) else {
            Issue.record("must be dropped")
            return
        }
        #expect(reason.contains("waited too long"))
        #expect(pool.statistics.dropped == 1 && pool.statistics.queued == 0)
        slow.handle.cancel()
    }
}
