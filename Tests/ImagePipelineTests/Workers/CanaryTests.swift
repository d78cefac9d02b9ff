import CLinux
import Foundation
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
            try await pool.wait { $0.ready == 2 && pool.posture?.calls.isEmpty == false && pool.condition == .ready }
            let posture = try #require(pool.posture)
            #expect(posture.calls == [.init(name: "getpriority", isAllowed: true)])
            #expect(posture.missingRequirements.isEmpty)
            // Those that were started before the call was found are replaced.
            try await pool.wait { statistics in statistics.workers.allSatisfy { Self.allows($0.pid) } }
        }
    }

    /// Whether a process was started with calls that the filter does not list.
    private static func allows(_ pid: pid_t) -> Bool {
        let file = unsafe edge_open("/proc/\(pid)/cmdline", O_RDONLY | O_CLOEXEC, 0)
        guard pid > 0, file >= 0 else { return false }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("--allow=")
    }

    @Test func `best refuses a call that leads out of the confinement, and tells its name`() async throws {
        try await withPool(calling: "io-uring", .best) { pool in
            try await pool.wait { $0.ready == 2 && pool.posture?.calls.isEmpty == false && pool.condition == .ready }
            let posture = try #require(pool.posture)
            #expect(posture.calls == [.init(name: "io_uring_setup", isAllowed: false)])
            #expect(posture.has(.systemCallFilter))
        }
    }

    @Test func `require does not start, and names the call`() async throws {
        try await withPool(calling: "get-priority", .require, workers: 1) { pool in
            try await pool.wait { _ in pool.condition != .starting }
            let result = try await pool.result(of: PoolBench.job())
            #expect(throws: PipelineError.noWorker) { try result.get() }
            guard case .failing(let reason) = pool.condition else {
                Issue.record("\(pool.condition)")
                return
            }
            #expect(reason.contains("does not list: getpriority"), "\(reason)")
            try await pool.wait { $0.ready == 0 }
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
            try await pool.wait { _ in pool.condition == .ready }
            #expect(pool.statistics.starts == 1)
        }
    }

    @Test func `pictures are made before the canary has passed, but with require the pool is ready only afterwards`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = """
            #!/bin/sh
            case "$*" in *--canary*) while ! [ -e '\(folder.path)/go' ]; do sleep 0.01; done;; esac
            exec '\(try WorkerPool.siblingPath())' "$@"

            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        unsafe chmod(path, 0o755)
        for mode in [SandboxMode.best, .require] {
            try await PoolBench.withPool {
                $0.workerPath = path
                $0.sandbox = mode
            } _: { pool in
                #expect(try await pool.result(of: PoolBench.job()).get().pictures.count == 1)
                #expect(pool.condition == (mode == .require ? .starting : .ready))
                #expect(pool.posture?.has(.systemCallFilter) == true)
                try Data().write(to: URL(fileURLWithPath: folder.path + "/go"))
                try await pool.wait { _ in pool.condition == .ready }
                try FileManager.default.removeItem(atPath: folder.path + "/go")
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `a canary that ends is started again, and no picture is refused`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = """
            #!/bin/sh
            case "$*" in *--canary*) [ -e '\(folder.path)/ended' ] || { : > '\(folder.path)/ended'; kill -KILL $$; };; esac
            exec '\(try WorkerPool.siblingPath())' "$@"

            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        unsafe chmod(path, 0o755)
        try await PoolBench.withPool {
            $0.workerPath = path
            $0.sandbox = .require
        } _: { pool in
            try await pool.wait { _ in FileManager.default.fileExists(atPath: folder.path + "/ended") }
            for _ in 0..<3 { #expect(try await pool.result(of: PoolBench.job()).get().pictures.count == 1) }
            try await pool.wait { _ in pool.condition == .ready }
        }
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [SandboxMode.best, .require])
    func `if every canary ends, best logs it and makes pictures, and require refuses them`(
        _ mode: SandboxMode
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = """
            #!/bin/sh
            case "$*" in *--canary*) kill -KILL $$;; esac
            exec '\(try WorkerPool.siblingPath())' "$@"

            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: path))
        unsafe chmod(path, 0o755)
        let told = Signal<[String]>([])
        try await PoolBench.withPool {
            $0.workerPath = path
            $0.sandbox = mode
            $0.trialFailed = { reason in told.update { $0.append(reason) } }
        } _: { pool in
            guard mode == .best else {
                try await pool.wait { _ in pool.condition != .starting }
                let result = try await pool.result(of: PoolBench.job())
                #expect(throws: PipelineError.noWorker) { try result.get() }
                return
            }
            try told.wait { !$0.isEmpty }
            for _ in 0..<3 { #expect(try await pool.result(of: PoolBench.job()).get().pictures.count == 1) }
            #expect(pool.condition == .ready)
        }
        #expect(told.value.count == (mode == .best ? 1 : 0))
        withExtendedLifetime(folder) {}
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

    /// A worker that is killed for a call in its first job; its canary finds the call only after that, if it finds it.
    ///
    /// - Parameter end: what the canary's script does once the job's worker is about to end.
    private func result(
        canary end: String,
        _ mode: SandboxMode = .best
    ) async throws -> (Result<TransformResult, PipelineError>, WorkerPool.Statistics) {
        let folder = try TemporaryFolder()
        func save(_ bytes: [UInt8], _ name: String, mode: mode_t = 0o600) throws {
            let file = unsafe edge_open("\(folder.path)/\(name)", O_WRONLY | O_CREAT, mode)
            try #require(file >= 0)
            defer { close(file) }
            try #require(unsafe write(file, bytes, bytes.count) == bytes.count)
        }
        let made = WorkerReply.Output(format: .png, width: 1, height: 1, frames: 1, hasAlpha: false, length: 4)
        let reply = WorkerReply(id: 1, result: .success([made]), timing: .init())
        try save(try reply.encoded(inline: [Array("made".utf8)]), "reply")
        try save(try WorkerMessage.encodeReady(WorkerGreeting(WorkerPosture(), encoded: [.png])), "greeting")
        try save(WorkerMessage.encodeTrapped(1), "call")
        let script = """
            #!/bin/sh
            cd '\(folder.path)'
            case "$*" in
            *--canary*--allow*) cat greeting >&3;;
            *--canary*) while ! [ -e killed ]; do sleep 0.01; done; \(end) >&3;;
            *) cat greeting >&3
              dd bs=200000 count=1 <&3 >/dev/null 2>&1
              case "$*" in *--allow*) cat reply >&3; exec sleep 60;; esac
              : > killed
              kill -SYS $$;;
            esac

            """
        try save(Array(script.utf8), "worker", mode: 0o755)
        let end = Signal<(Result<TransformResult, PipelineError>, WorkerPool.Statistics)?>(nil)
        try await PoolBench.withPool {
            $0.workerPath = folder.path + "/worker"
            $0.sandbox = mode
        } _: { pool in
            let result = try await pool.result(of: PoolBench.job())
            end.update { $0 = (result, pool.statistics) }
        }
        withExtendedLifetime(folder) {}
        return try #require(end.value)
    }

    @Test func `a picture that needs a call which the canary is about to find is made once it has`() async throws {
        let (result, statistics) = try await result(canary: "cat call")
        #expect(try result.get().pictures[0].bytes == Array("made".utf8))
        #expect(statistics.retries == 1 && statistics.decoderCrashes == 0)
    }

    @Test(arguments: [SandboxMode.best, .off])
    func `a picture whose worker is killed for a call that no canary makes is at fault`(_ mode: SandboxMode)
        async throws
    {
        let (result, statistics) = try await result(canary: "cat greeting", mode)
        #expect(throws: PipelineError.crashedDecoder) { try result.get() }
        #expect(statistics.retries == 0 && statistics.filterKills == 1)
    }
}
