import Glibc
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// The pool against `Benchmarks/transform-loop.c`; runs only where `EDGEPRINT_BENCHMARK_WORKER` names a release worker.
@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: benchmarkWorker != nil && SharedImages.isAvailable))
struct TransformBenchmark {
    private static let jobs = 400

    @Test func `twelve megapixels to 512 pixels on two workers`() async throws {
        let source = try #require(SharedImages.bytes("bus-12mp.jpg"))
        let job = try PoolBench.job("1?w=512&format=jpeg", of: source, as: .jpeg)
        var configuration = WorkerPool.Configuration(workers: 2)
        configuration.workerPath = benchmarkWorker
        let pool = try WorkerPool(configuration)
        for _ in 0..<4 { _ = try await pool.result(of: job).get() }
        let start = SystemTime().monotonic
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<Self.jobs {
                group.addTask { if case .success = await pool.result(of: job) { true } else { false } }
            }
            for await succeeded in group { #expect(succeeded) }
        }
        let seconds = Double(SystemTime().monotonic - start) / 1e9
        let resident = pool.statistics.workers.map { $0.residentBytes >> 20 }
        pool.stop()
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        let processor =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        print(
            "\(Self.jobs) jobs, 2 workers: \(seconds) s, \(Double(Self.jobs) / seconds) jobs/s,",
            "\(processor * 1e3 / Double(Self.jobs + 4)) ms CPU a job, resident MiB \(resident)"
        )
    }
}

/// The release build's worker.
private let benchmarkWorker = unsafe getenv("EDGEPRINT_BENCHMARK_WORKER").map { unsafe String(cString: $0) }
