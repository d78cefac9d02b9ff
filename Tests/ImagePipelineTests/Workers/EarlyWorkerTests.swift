import Foundation
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// The first process of a pool serves before it has loaded fonts and the modules of libvips.
@Suite(.timeLimit(.minutes(1)), .serialized, .enabled(if: EscapeTests.isPossible))
struct EarlyWorkerTests {
    private func withPool(
        _ change: (inout WorkerPool.Configuration) -> Void = { _ in },
        _ body: (WorkerPool) async throws -> Void
    ) async throws {
        try await PoolBench.withPool(workers: 2) {
            $0.startsEarly = true
            $0.idleTime = 3_600_000
            change(&$0)
        } _: { pool in
            try await body(pool)
        }
    }

    /// The processes of a pool, and whether each is an early worker.
    private func processes(_ pool: WorkerPool) -> [Bool] {
        pool.statistics.workers.filter { $0.pid != 0 }.map { worker in
            let line = try? String(contentsOfFile: "/proc/\(worker.pid)/cmdline", encoding: .utf8)
            return line?.contains(EarlyWorker.argument) ?? false
        }
    }

    private func plan(_ text: String) -> WorkerJob.Output {
        WorkerJob.Output(plan: text, bucket: .rest, quality: QualityDefaults())
    }

    @Test func `an early worker gives way to one that has loaded everything`() async throws {
        try await withPool { pool in
            try await pool.wait { $0.starts == 2 && $0.ready == 1 && $0.workers.count { $0.pid != 0 } == 1 }
            #expect(processes(pool) == [false])
            #expect(pool.condition == .ready)
            let posture = try #require(pool.posture)
            #expect(posture.missingRequirements.isEmpty && posture.calls.isEmpty)
            _ = try await pool.result(of: PoolBench.job("1?w=8&format=avif")).get()
        }
    }

    @Test func `results do not depend on which worker makes them`() async throws {
        let texts = ["1?w=8&format=png", "1?w=9&format=jpeg", "1?w=7&format=webp", "1?w=8&format=avif"]
        var expected: [[UInt8]] = []
        try await PoolBench.withPool { pool in
            for text in texts {
                expected.append(try await pool.result(of: PoolBench.job(text)).get().pictures[0].bytes)
            }
        }
        for text in texts.indices {
            try await withPool { pool in
                // Queued before any worker is ready: the early one takes it first.
                let result = try await pool.result(of: PoolBench.job(texts[text])).get()
                #expect(result.pictures[0].bytes == expected[text], "\(texts[text])")
                #expect(pool.statistics.retries == 0 && pool.statistics.decoderCrashes == 0)
            }
        }
    }

    @Test func `an early worker is as confined as the others, and reads no file`() async throws {
        let wake = try WakeEvent()
        let time = SystemTime()
        let worker = try WorkerProcess(
            path: WorkerPool.siblingPath(),
            arguments: ["--sandbox=best", EarlyWorker.argument],
            configuration: WorkerPool.Configuration(workers: 1)
        )
        let arrival = worker.receive(until: time.monotonic + 20_000_000_000, wake: wake, time: time)
        guard case .message(let bytes, _) = arrival else {
            Issue.record("\(arrival)")
            return
        }
        let greeting = try WorkerMessage.decodeReady(bytes)
        #expect(greeting.posture.missingRequirements.isEmpty)
        let status = try String(contentsOfFile: "/proc/\(worker.pid)/status", encoding: .utf8)
        #expect(status.contains("\nSeccomp:\t2\n") && status.contains("\nNoNewPrivs:\t1\n"), "\(status)")
        let maps = try String(contentsOfFile: "/proc/\(worker.pid)/maps", encoding: .utf8)
        #expect(!maps.contains("libpoppler") && !maps.contains("libheif"))
        // The daemon negotiates with all formats from the beginning.
        try await PoolBench.withPool { pool in
            try await pool.wait { $0.ready == 1 }
            for format in ImageFormat.allCases {
                #expect(pool.encodes(format) == (greeting.encodedMask >> UInt32(format.rawValue) & 1 == 1), "\(format)")
            }
        }
    }

    @Test func `require, off and a pool of one start no early worker`() async throws {
        for (mode, workers) in [(SandboxMode.require, 2), (.off, 2), (.best, 1)] {
            try await withPool {
                $0.sandbox = mode
                $0.workers = workers
            } _: { pool in
                try await pool.wait { $0.ready >= 1 }
                #expect(!processes(pool).contains(true))
                #expect(!pool.shared.startsEarly)
            }
        }
    }

    @Test func `only plain resizes between formats without modules are for an early worker`() throws {
        func canRun(
            _ text: String,
            _ format: ImageFormat = .jpeg,
            _ bucket: FormatBucket = .rest,
            _ change: (inout TransformJob) throws -> Void = { _ in }
        ) throws -> Bool {
            var job = try PoolBench.job(text, as: format)
            job.outputs[0].bucket = bucket
            try change(&job)
            return EarlyWorker.canRun(job)
        }
        for format in [ImageFormat.jpeg, .png, .webp, .gif] { #expect(try canRun("1?w=8", format)) }
        for format in [ImageFormat.avif, .heic, .jxl, .svg, .svgz, .pdf, .tiff, .jp2, .bmp, .ico] {
            #expect(try !canRun("1?w=8", format), "\(format)")
        }
        for text in ["1?w=8&format=jpeg", "1?w=8&h=8&format=webp", "1?format=png", "1?format=gif"] {
            #expect(try canRun(text), "\(text)")
        }
        for text in [
            "1?w=8&format=avif", "1?w=8&format=jxl", "1?w=8&format=tiff", "1?w=8&format=json", "1?w=8&blur=2",
            "clean/1",
            "1?format=source",
        ] {
            #expect(try !canRun(text), "\(text)")
        }
        #expect(try canRun("1?w=8", .jpeg, .webp) && !canRun("1?w=8", .jpeg, .avif) && !canRun("1?w=8", .jpeg, .jxl))
        #expect(try canRun("1?w=8") { $0.outputs.append(plan(Placeholder.planText)) })
        #expect(try canRun("1?w=8") { $0.outputs.append(plan(Mezzanine(factor: 2).planText)) })
        #expect(try !canRun("1?w=8") { $0.outputs.append(plan("1?w=8&format=avif")) })
        let mark = WorkerJob.Auxiliary(name: "a/b", length: 1, format: .png, maximumPixels: 1)
        #expect(
            try !canRun("1?w=8") { $0.auxiliaries = [.init(source: try PoolBench.memoryFile([1]), description: mark)] }
        )
    }
}
