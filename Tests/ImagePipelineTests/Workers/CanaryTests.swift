import CLinux
import Glibc
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// The first worker's trials find system calls that the filter does not list, as after an upgrade of a library.
@Suite(.timeLimit(.minutes(1)), .enabled(if: EscapeTests.isPossible))
struct CanaryTests {
    /// Runs a pool of hostile workers that make a call during their trials.
    private func withPool(
        calling name: String,
        _ mode: SandboxMode,
        workers: Int = 2,
        _ body: (WorkerPool) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = Array("#!/bin/sh\nexec \(try EscapeTests.hostileWorker()) \"$@\" --trial \(name) -\n".utf8)
        let file = unsafe edge_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
        try #require(file >= 0)
        try #require(unsafe write(file, script, script.count) == script.count)
        close(file)
        try await PoolBench.withPool(workers: workers) {
            $0.workerPath = path
            $0.sandbox = mode
        } _: { pool in
            try await body(pool)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `best allows a harmless call in all workers, and tells its name`() async throws {
        try await withPool(calling: "get-priority", .best) { pool in
            try await pool.wait { $0.ready == 2 }
            let posture = try #require(pool.posture)
            #expect(posture.calls == [.init(name: "getpriority", isAllowed: true)])
            #expect(posture.missingRequirements.isEmpty)
            // One canary found the call, a second one passed.
            #expect(pool.statistics.starts == 3)
        }
    }

    @Test func `best refuses a call that leads out of the confinement, and tells its name`() async throws {
        try await withPool(calling: "io-uring", .best) { pool in
            try await pool.wait { $0.ready == 2 }
            let posture = try #require(pool.posture)
            #expect(posture.calls == [.init(name: "io_uring_setup", isAllowed: false)])
            #expect(posture.has(.systemCallFilter))
        }
    }

    @Test func `require does not start, and names the call`() async throws {
        try await withPool(calling: "get-priority", .require, workers: 1) { pool in
            let result = try await pool.result(of: PoolBench.job())
            #expect(throws: PipelineError.noWorker) { try result.get() }
            guard case .failing(let reason) = pool.condition else {
                Issue.record("\(pool.condition)")
                return
            }
            #expect(reason.contains("does not list: getpriority"), "\(reason)")
            #expect(pool.statistics.ready == 0)
        }
    }

    @Test func `require starts where all that it demands is in force`() async throws {
        try await PoolBench.withPool {
            $0.sandbox = .require
        } _: { pool in
            let result = try await pool.result(of: PoolBench.job()).get()
            #expect(result.pictures.count == 1)
            let posture = try #require(pool.posture)
            #expect(posture.missingRequirements.isEmpty && posture.calls.isEmpty)
            #expect(pool.statistics.starts == 1)
        }
    }

    @Test func `require refuses a worker that tells of no confinement`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = Array(
            "#!/bin/sh\nprintf 'EDGW\\007\\001\\007\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000' >&3\nexec sleep 20\n"
                .utf8
        )
        let file = unsafe edge_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
        try #require(unsafe file >= 0 && write(file, script, script.count) == script.count)
        close(file)
        try await PoolBench.withPool {
            $0.workerPath = path
            $0.sandbox = .require
        } _: { pool in
            let result = try await pool.result(of: PoolBench.job())
            #expect(throws: PipelineError.noWorker) { try result.get() }
            guard case .failing(let reason) = pool.condition else {
                Issue.record("\(pool.condition)")
                return
            }
            #expect(reason.contains("runs without no-new-privileges, seccomp, landlock"), "\(reason)")
            #expect(reason.contains("SystemCallFilter="))
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `off takes nothing but no new privileges`() async throws {
        try await PoolBench.withPool {
            $0.sandbox = .off
        } _: { pool in
            let result = try await pool.result(of: PoolBench.job()).get()
            #expect(result.pictures.count == 1)
            #expect(pool.posture?.outcomes == [.init(.noNewPrivileges)])
        }
    }
}
