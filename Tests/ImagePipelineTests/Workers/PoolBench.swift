import HTTPSemantics
import CLinux
import Foundation
import Glibc
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// Pools of real workers for tests, and jobs for them.
enum PoolBench {
    /// Creates a pool, calls `body` with it and stops it.
    static func withPool(
        workers: Int = 1,
        time: any TimeSource = SystemTime(),
        _ change: (inout WorkerPool.Configuration) -> Void = { _ in },
        _ body: (WorkerPool) async throws -> Void
    ) async throws {
        var configuration = WorkerPool.Configuration(workers: workers)
        change(&configuration)
        let pool = try WorkerPool(configuration, time: time)
        do {
            try await body(pool)
        } catch {
            pool.stop()
            throw error
        }
        pool.stop()
    }

    /// Creates a pool whose workers stop themselves before anything else, and go on when a test calls `resume`.
    static func withStoppedWorkers(
        _ workers: Int,
        time: any TimeSource = SystemTime(),
        _ change: (inout WorkerPool.Configuration) -> Void = { _ in },
        _ body: (WorkerPool) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/worker"
        let script = Array("#!/bin/sh\nkill -STOP $$\nexec \(try WorkerPool.siblingPath()) \"$@\"\n".utf8)
        let file = unsafe edge_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o755)
        try #require(file >= 0)
        try #require(unsafe write(file, script, script.count) == script.count)
        close(file)
        try await withPool(workers: workers, time: time) {
            $0.workerPath = path
            $0.sandbox = .off
            change(&$0)
        } _: { pool in
            try await body(pool)
        }
        withExtendedLifetime(folder) {}
    }

    /// A job on bytes.
    static func job(
        _ plan: String = "1?w=8&format=png",
        of source: [UInt8] = smallPNG,
        as format: ImageFormat = .png,
        outputs: Int = 1,
        maximumPixels: Int = 50_000_000,
        milliseconds: Int = 20_000,
        priority: TransformJob.Priority = .normal
    ) throws -> TransformJob {
        let output = WorkerJob.Output(plan: plan, bucket: .rest, quality: QualityDefaults())
        var message = WorkerJob()
        message.sourceLength = source.count
        message.outputs = Array(repeating: output, count: outputs)
        message.maximumPixels = maximumPixels
        // Only the limit on pixels applies.
        message.animation.bytes = .max
        message.animation.frames = 100
        message.deadlineMilliseconds = milliseconds
        return TransformJob(
            source: try memoryFile(source),
            header: ImageHeader(format: format, width: 1, height: 1),
            message: message,
            priority: priority
        )
    }

    /// 24×16 pixels.
    static let smallPNG = TestImages.png(
        width: 24,
        height: 16,
        rgba: (0..<24 * 16).flatMap { [UInt8($0 % 256), 100, 50, 255] }
    )

    /// A job that takes some seconds, on noise.
    static func slowJob(milliseconds: Int = 20_000, priority: TransformJob.Priority = .normal) throws -> TransformJob {
        try job("1?blur=11&blur=11&format=png", of: noise, milliseconds: milliseconds, priority: priority)
    }

    /// A job that takes many seconds in a single call of a library.
    static func unstoppableJob() throws -> TransformJob {
        try job("1?w=3000&format=png", of: bomb, as: .svg, milliseconds: 50_000)
    }

    /// An SVG of less than 300 bytes that takes many seconds to render.
    static let bomb = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f" x="0" y="0" width="1" height="1">\
        <feTurbulence baseFrequency=".7" numOctaves="60"/></filter><rect width="3000" height="3000" filter="url(#f)"/></svg>
        """.utf8
    )

    private static let noise: [UInt8] = {
        var state: UInt32 = 1
        let bytes = (0..<1500 * 1000 * 4).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return TestImages.png(width: 1500, height: 1000, rgba: bytes)
    }()

    /// The processor time of a process in milliseconds (proc_pid_stat).
    static func processorTime(of pid: pid_t) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        // After the name, which may contain blanks: the state, ten more fields, utime and stime.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return 0 }
        return (user + system) * 1000 / sysconf(CInt(_SC_CLK_TCK))
    }

    static func memoryFile(_ bytes: [UInt8]) throws -> SharedDescriptor {
        let descriptor = unsafe edge_memfd_create("test")
        try #require(descriptor >= 0)
        let file = SharedDescriptor(owning: descriptor)
        let written = unsafe write(descriptor, bytes, bytes.count)
        try #require(written == bytes.count)
        return file
    }
}

extension WorkerPool {
    /// Runs a job to completion.
    func result(of job: TransformJob) async -> Result<TransformResult, PipelineError> {
        await withCheckedContinuation { continuation in
            _ = transform(job) { continuation.resume(returning: $0) }
        }
    }

    /// Waits until a condition on the counts holds.
    func wait(_ condition: (Statistics) -> Bool) async throws {
        for _ in 0..<30_000 {
            if condition(statistics) { return }
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        Issue.record("never: \(statistics)")
    }

    /// Waits until a slot has another process than `former`, and returns its id.
    func start(slot: Int, after former: pid_t = 0) async throws -> pid_t {
        try await wait { $0.workers[slot].pid != 0 && $0.workers[slot].pid != former }
        return statistics.workers[slot].pid
    }

    /// Lets a stopped worker go on, and waits for a condition.
    func resume(_ worker: pid_t, until condition: (Statistics) -> Bool) async throws {
        try await wait { statistics in
            // A signal before the worker has stopped would be lost.
            kill(worker, SIGCONT)
            return condition(statistics)
        }
    }
}
