import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// Background jobs: they run only while another worker stays free.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct BackgroundJobTests {
    @Test func `a background job runs only while another worker is idle`() async throws {
        try await PoolBench.withPool(workers: 2) { pool in
            #expect(pool.hasBackground)
            _ = try await pool.result(of: PoolBench.job(priority: .background)).get()
            try await pool.wait { $0.ready == 2 && $0.workers.allSatisfy { !$0.isBusy } }
            // With one worker busy, the other stays free.
            let slow = pool.transform(try PoolBench.slowJob()) { _ in }
            try await pool.wait { $0.workers.contains(where: \.isBusy) }
            let result = Signal<Result<TransformResult, PipelineError>?>(nil)
            _ = pool.transform(try PoolBench.job(priority: .background)) { made in result.update { $0 = made } }
            for _ in 0..<3 { _ = try await pool.result(of: PoolBench.job()).get() }
            #expect(result.value == nil && pool.statistics.queued == 1)
            slow.cancel()
            #expect(throws: Never.self) { try result.wait { $0 != nil }?.get() }
        }
    }

    @Test func `other jobs precede background jobs`() throws {
        let queue = try TransformQueue(limit: 3, budget: 4 << 30)
        let ends = try CompletionThread()
        defer { ends.close() }
        func pending(_ priority: TransformJob.Priority) throws -> PendingTransform {
            PendingTransform(
                id: UInt64(priority.rawValue),
                message: [],
                job: try PoolBench.job(priority: priority),
                arrival: 0,
                queue: queue,
                ends: ends
            ) { _ in }
        }
        try queue.append(pending(.background))
        try queue.append(pending(.low))
        try queue.append(pending(.high))
        #expect(throws: TransformQueue.Refusal.full) { try queue.append(pending(.normal)) }
        #expect(queue.hasBackground && queue.takeBackground() == nil)
        #expect(queue.take()?.job.priority == .high && queue.takeBackground() == nil)
        #expect(queue.take()?.job.priority == .low && queue.take() == nil)
        #expect(queue.takeBackground()?.job.priority == .background && queue.takeBackground() == nil)
        #expect(!queue.hasBackground && queue.count == 0)
    }

    @Test func `a single worker runs no background jobs`() async throws {
        try await PoolBench.withPool { #expect(!$0.hasBackground) }
    }
}
