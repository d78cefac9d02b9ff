import CLinux
import Glibc
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// Workers that are killed before they greet; each stops itself first, so that a test decides when it goes on.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct FailedStartTests {
    private func withPool(workers: Int, _ body: (WorkerPool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = Array("#!/bin/sh\nkill -STOP $$\nexec \(try WorkerPool.siblingPath()) \"$@\"\n".utf8)
        let file = unsafe edge_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
        try #require(file >= 0)
        try #require(unsafe write(file, script, script.count) == script.count)
        close(file)
        try await PoolBench.withPool(workers: workers) {
            $0.workerPath = path
            $0.sandbox = .off
        } _: { pool in
            try await body(pool)
        }
        withExtendedLifetime(folder) {}
    }

    /// Waits until a slot has another process than `former`, and returns its id.
    private func start(_ pool: WorkerPool, slot: Int, after former: pid_t = 0) async throws -> pid_t {
        try await pool.wait { $0.workers[slot].pid != 0 && $0.workers[slot].pid != former }
        return pool.statistics.workers[slot].pid
    }

    /// Lets a worker go on until a number of workers is ready.
    private func resume(_ worker: pid_t, in pool: WorkerPool, ready: Int) async throws {
        // A signal before the worker has stopped would be lost.
        try await pool.wait { statistics in
            kill(worker, SIGCONT)
            return statistics.ready == ready
        }
    }

    @Test func `failed starts of one slot fail no job while other slots' workers have greeted in between`() async throws
    {
        try await withPool(workers: 2) { pool in
            var working = try await start(pool, slot: 0)
            try await resume(working, in: pool, ready: 1)
            var failing = try await start(pool, slot: 1)
            for round in 1...3 {
                kill(working, SIGKILL)
                working = try await start(pool, slot: 0, after: working)
                let end = Signal<Result<TransformResult, PipelineError>?>(nil)
                _ = pool.transform(try PoolBench.job()) { result in end.update { $0 = result } }
                kill(failing, SIGKILL)
                // The failure has had its consequences once the next start follows.
                failing = try await start(pool, slot: 1, after: failing)
                #expect(pool.condition == .ready && end.value == nil, "round \(round)")
                try await resume(working, in: pool, ready: 1)
                let result = try end.wait { $0 != nil }
                #expect(throws: Never.self, "round \(round)") { try result?.get() }
            }
        }
    }

    @Test func `three failed starts in a row fail the jobs that wait, also after a greeting`() async throws {
        try await withPool(workers: 1) { pool in
            var worker = try await start(pool, slot: 0)
            try await resume(worker, in: pool, ready: 1)
            let result = Signal<Result<TransformResult, PipelineError>?>(nil)
            for failures in 0...3 {
                if failures == 1 {
                    _ = pool.transform(try PoolBench.job()) { end in result.update { $0 = end } }
                }
                #expect(pool.condition == .ready && result.value == nil)
                kill(worker, SIGKILL)
                worker = try await start(pool, slot: 0, after: worker)
            }
            let end = try result.wait { $0 != nil }
            #expect(throws: PipelineError.noWorker) { try end?.get() }
            guard case .failing = pool.condition else {
                Issue.record("\(pool.condition)")
                return
            }
            try await resume(worker, in: pool, ready: 1)
            _ = try await pool.result(of: PoolBench.job()).get()
        }
    }
}
