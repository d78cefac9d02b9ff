import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// The priority of workers on the processors.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct WorkerNicenessTests {
    /// The niceness of a process beyond this one's.
    private func niceness(of pid: pid_t) -> CInt {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(pid))
            - getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    @Test func `a client's further jobs, and background jobs, are extra`() throws {
        let queue = try TransformQueue(TransformSchedule.Limits(workers: 4), time: ManualTime())
        let ends = try CompletionThread()
        defer { ends.close() }
        var number: UInt64 = 0
        func taken(_ account: String) throws -> PendingTransform {
            number += 1
            var job = try PoolBench.job()
            job.account = account
            let pending = PendingTransform(id: number, message: [], job: job, arrival: 0, queue: queue, ends: ends) {
                _ in
            }
            try queue.append(pending)
            return try #require(queue.take())
        }
        let first = try taken("a")
        #expect(try !first.isExtra && taken("a").isExtra && !taken("b").isExtra)
        #expect(first.begin(try WakeEvent()))
        first.end(.failure(.workerLost))
        queue.release(first)
        #expect(try taken("a").isExtra, "its second job still runs")
    }

    @Test func `a worker leaves the processors to other clients while it runs a further job, and only then`()
        async throws
    {
        try await PoolBench.withPool(workers: 3) { pool in
            try await pool.wait { $0.ready == 3 }
            var job = try PoolBench.slowJob()
            job.account = "a"
            let slow = [job, job].map { pool.transform($0) { _ in } }
            let expected: [CInt] = WorkerNiceness.isReversible ? [5, 15] : [5, 5]
            try waitWhile(
                pool.statistics.workers.filter(\.isBusy).map { niceness(of: $0.pid) }.sorted() != expected
            )
            for job in slow { job.cancel() }
            try await pool.wait { $0.ready == 3 && $0.workers.allSatisfy { !$0.isBusy } }
        }
    }

    @Test func `a worker returns to the usual priority after a background job`() async throws {
        try await PoolBench.withPool(workers: 1) { pool in
            _ = try await pool.result(of: PoolBench.job(priority: .background)).get()
            #expect(niceness(of: pool.statistics.workers[0].pid) == (WorkerNiceness.isReversible ? 15 : 5))
            let slow = pool.transform(try PoolBench.slowJob()) { _ in }
            try await pool.wait { $0.workers[0].isBusy }
            try waitWhile(niceness(of: pool.statistics.workers[0].pid) != 5)
            slow.cancel()
        }
    }
}
