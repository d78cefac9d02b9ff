import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

/// Workers that are killed before they greet; each stops itself first, so that a test decides when it goes on.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct FailedStartTests {
    @Test func `failed starts of a slot fail no job if another slot's worker starts in between`() async throws {
        try await PoolBench.withStoppedWorkers(2) { pool in
            var working = try await pool.start(slot: 0)
            try await pool.resume(working) { $0.ready == 1 }
            var failing = try await pool.start(slot: 1)
            for round in 1...3 {
                kill(working, SIGKILL)
                working = try await pool.start(slot: 0, after: working)
                let end = Signal<Result<TransformResult, PipelineError>?>(nil)
                _ = pool.transform(try PoolBench.job()) { result in end.update { $0 = result } }
                kill(failing, SIGKILL)
                // The failure has had its consequences once the next start follows.
                failing = try await pool.start(slot: 1, after: failing)
                #expect(pool.condition == .ready && end.value == nil, "round \(round)")
                try await pool.resume(working) { $0.ready == 1 }
                let result = try end.wait { $0 != nil }
                #expect(throws: Never.self, "round \(round)") { try result?.get() }
            }
        }
    }

    @Test func `three failed starts in a row fail the jobs that wait, also after a greeting`() async throws {
        try await PoolBench.withStoppedWorkers(1) { pool in
            var worker = try await pool.start(slot: 0)
            try await pool.resume(worker) { $0.ready == 1 }
            let result = Signal<Result<TransformResult, PipelineError>?>(nil)
            for failures in 0...3 {
                if failures == 1 {
                    _ = pool.transform(try PoolBench.job()) { end in result.update { $0 = end } }
                }
                #expect(pool.condition == .ready && result.value == nil)
                kill(worker, SIGKILL)
                worker = try await pool.start(slot: 0, after: worker)
            }
            let end = try result.wait { $0 != nil }
            #expect(throws: PipelineError.noWorker) { try end?.get() }
            guard case .failing = pool.condition else {
                Issue.record("\(pool.condition)")
                return
            }
            try await pool.resume(worker) { $0.ready == 1 }
            _ = try await pool.result(of: PoolBench.job()).get()
        }
    }
}
