import HTTPSemantics
import Glibc
import HTTPCache
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)), .serialized)
struct WorkerPoolTests {
    @Test func `makes images, several of one source in order`() async throws {
        try await PoolBench.withPool { pool in
            var job = try PoolBench.job()
            job.outputs = ["1?w=8&format=png", "1?w=12&format=jpeg", "1?w=4&format=webp"].map {
                WorkerJob.Output(plan: $0, bucket: .rest, quality: QualityDefaults())
            }
            let result = try await pool.result(of: job).get()
            #expect(result.pictures.map(\.description.width) == [8, 12, 4])
            #expect(result.pictures.map(\.description.format) == [.png, .jpeg, .webp])
            for picture in result.pictures { #expect(picture.bytes.count == picture.description.length) }
            #expect(Array(result.pictures[1].bytes.prefix(2)) == [0xFF, 0xD8])
            #expect(result.timing.encode > 0)
        }
    }

    @Test func `a job that a worker reaches after its deadline does not run`() async throws {
        let time = ManualTime()
        let pool = try WorkerPool(WorkerPool.Configuration(workers: 1), time: time)
        defer { pool.stop() }
        var late = try PoolBench.job()
        late.deadline = SharedDeadline(time.monotonic)
        guard case .failure(.overloaded(let reason)) = await pool.result(of: late) else {
            Issue.record("ran")
            return
        }
        #expect(reason.contains("waited too long"))
        #expect(pool.statistics.jobs == 0)
        var timely = try PoolBench.job()
        timely.deadline = SharedDeadline(time.monotonic + 10_000_000_000)
        #expect(try await pool.result(of: timely).get().pictures.count == 1)
        #expect(pool.statistics.jobs == 1 && pool.statistics.starts == 1)
    }

    @Test func `receives large results through memory files`() async throws {
        try await PoolBench.withPool { pool in
            let plan = "1?w=400&h=400&enlarge=1&fit=fill&format=png"
            let noise = (0..<64 * 64 * 4).map { UInt8(($0 * 7919) % 251) }
            let source = TestImages.png(width: 64, height: 64, rgba: noise)
            let result = try await pool.result(of: PoolBench.job(plan, of: source, outputs: 3)).get()
            #expect(result.pictures.count == 3)
            for picture in result.pictures {
                #expect(picture.bytes.count > WorkerMessage.maximumInline)
                #expect(picture.bytes == result.pictures[0].bytes)
                #expect(Array(picture.bytes.suffix(8).prefix(4)) == Array("IEND".utf8))
            }
        }
    }

    @Test func `converts the worker's failures to the pipeline's errors`() async throws {
        try await PoolBench.withPool { pool in
            let text = Array("no image at all".utf8)
            guard case .failure(.broken) = try await pool.result(of: PoolBench.job(of: text)) else {
                Issue.record("text is no PNG")
                return
            }
            // No BMP header has 41 bytes.
            let bitmap = Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [41] + [UInt8](repeating: 0, count: 60)
            guard case .failure(.notAnImage) = try await pool.result(of: PoolBench.job(of: bitmap, as: .bmp)) else {
                Issue.record("a kind of BMP that is not decoded")
                return
            }
            let small = try await pool.result(of: PoolBench.job(maximumPixels: 10))
            guard case .failure(.refused) = small else {
                Issue.record("over the pixel limit")
                return
            }
            #expect(pool.statistics.jobs == 3)
            #expect(pool.statistics.restarts == 0 && pool.statistics.retries == 0)
        }
    }

    @Test func `an image that crashes its decoder fails alone, and the pool recovers`() async throws {
        try await PoolBench.withPool { pool in
            let deadly = TestImages.deadlyGIF(width: 60_000, height: 60_000)
            #expect(deadly.count == 43)
            let job = try PoolBench.job("1?w=8&format=png", of: deadly, as: .gif, maximumPixels: 1 << 40)
            let result = await pool.result(of: job)
            guard case .failure(.crashedDecoder) = result else {
                Issue.record("\(result)")
                return
            }
            let clock = ContinuousClock()
            let start = clock.now
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(clock.now - start < .seconds(2))
            #expect(pool.statistics.decoderCrashes == 1)
            #expect(pool.statistics.retries == 0)
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a worker killed from outside costs one retry`(signal: CInt) async throws {
        try await PoolBench.withPool { pool in
            let job = try PoolBench.slowJob()
            async let result = pool.result(of: job)
            try await pool.wait { $0.workers[0].isBusy }
            let first = pool.statistics.workers[0].pid
            #expect(kill(first, signal) == 0)
            try await pool.wait { $0.retries == 1 }
            #expect(pool.statistics.workers[0].pid != first)
            #expect(try await result.get().pictures[0].description.width == 1500)
        }
    }

    @Test func `a job that loses two workers fails`() async throws {
        try await PoolBench.withPool { pool in
            async let result = pool.result(of: PoolBench.slowJob())
            for attempt in 0..<2 {
                try await pool.wait { $0.retries == attempt && $0.workers[0].isBusy }
                #expect(kill(pool.statistics.workers[0].pid, SIGKILL) == 0)
                if attempt == 0 { try await pool.wait { $0.retries == 1 } }
            }
            guard case .failure(.workerLost) = try await result else {
                Issue.record("must be lost")
                return
            }
            _ = try await pool.result(of: PoolBench.job()).get()
        }
    }

    @Test func `an idle worker that ends is replaced before the next job`() async throws {
        try await PoolBench.withPool { pool in
            _ = try await pool.result(of: PoolBench.job()).get()
            kill(pool.statistics.workers[0].pid, SIGKILL)
            try await pool.wait { $0.starts == 2 && $0.workers[0].pid != 0 }
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(pool.statistics.retries == 0)
        }
    }

    @Test func `a stopped worker is killed at the deadline`() async throws {
        try await PoolBench.withPool {
            $0.deadlineGrace = 100
        } _: { pool in
            _ = try await pool.result(of: PoolBench.job()).get()
            let pid = pool.statistics.workers[0].pid
            kill(pid, SIGSTOP)
            let result = try await pool.result(of: PoolBench.job(milliseconds: 200))
            guard case .failure(.transformTimeout) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(pool.statistics.timeouts == 1)
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(pool.statistics.workers[0].pid != pid)
        }
    }

    @Test func `a worker stops at the deadline by itself and is kept`() async throws {
        try await PoolBench.withPool { pool in
            let result = try await pool.result(of: PoolBench.slowJob(milliseconds: 100))
            guard case .failure(.transformTimeout) = result else {
                Issue.record("\(result)")
                return
            }
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(pool.statistics.starts == 1)
        }
    }

    @Test func `retires workers by jobs and by size`() async throws {
        try await PoolBench.withPool {
            $0.jobsPerWorker = 2
        } _: { pool in
            for _ in 0..<6 { _ = try await pool.result(of: PoolBench.job()).get() }
            try await pool.wait { $0.retirements == 3 }
            #expect(pool.statistics.restarts == 0)
        }
        try await PoolBench.withPool {
            $0.residentLimit = 1 << 20
        } _: { pool in
            for _ in 0..<2 { _ = try await pool.result(of: PoolBench.job()).get() }
            try await pool.wait { $0.retirements == 2 }
        }
    }

    @Test func `a cancelled job leaves the queue at once`() async throws {
        try await PoolBench.withPool { pool in
            async let slow = pool.result(of: PoolBench.slowJob())
            try await pool.wait { $0.workers[0].isBusy }
            let job = try PoolBench.job()
            let result = await withCheckedContinuation { continuation in
                let handle = pool.transform(job) { continuation.resume(returning: $0) }
                handle.cancel()
                handle.cancel()
            }
            guard case .failure(.cancelled) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(pool.statistics.queued == 0)
            _ = try await slow.get()
            #expect(pool.statistics.jobs == 1)
        }
    }

    @Test(arguments: [true, false])
    func `cancelling a running job ends it immediately, and its worker soon after if it cannot be stopped`(
        canStop: Bool
    ) async throws {
        try await PoolBench.withPool {
            $0.abandonGrace = canStop ? 60_000 : 50
        } _: { pool in
            let job = canStop ? try PoolBench.slowJob() : try PoolBench.unstoppableJob()
            let handle = Shelf<(any TransformHandle)?>(nil)
            async let result = withCheckedContinuation { continuation in
                let started = pool.transform(job) { continuation.resume(returning: $0) }
                handle.content.withLock { $0 = started }
            }
            let worker = try await pool.start(slot: 0)
            try await pool.wait { $0.workers[0].isBusy }
            // Within the one long call: all before it, and the start, takes far less.
            let before = PoolBench.processorTime(of: worker)
            if !canStop { try waitWhile(PoolBench.processorTime(of: worker) < before + 500) }
            handle.content.withLock { $0?.cancel() }
            guard case .failure(.cancelled) = await result else {
                Issue.record("must be cancelled")
                return
            }
            try await pool.wait { canStop ? !$0.workers[0].isBusy : $0.restarts == 1 }
            _ = try await pool.result(of: PoolBench.job()).get()
            #expect(pool.statistics.restarts == (canStop ? 0 : 1))
            #expect(pool.statistics.jobs == 1, "the last one: the cancelled one was not finished")
        }
    }

    @Test func `a full queue refuses jobs, and higher priorities run first`() async throws {
        try await PoolBench.withPool {
            $0.queueLimit = 2
        } _: { pool in
            async let slow = pool.result(of: PoolBench.slowJob())
            try await pool.wait { $0.workers[0].isBusy }
            let order = Shelf<[String]>([])
            let jobs = try (PoolBench.job(priority: .low), PoolBench.job(priority: .high), PoolBench.job())
            async let low = pool.result(of: jobs.0, then: { order.content.withLock { $0.append("low") } })
            try await pool.wait { $0.queued == 1 }
            async let high = pool.result(of: jobs.1, then: { order.content.withLock { $0.append("high") } })
            try await pool.wait { $0.queued == 2 }
            guard case .failure(.overloaded) = await pool.result(of: jobs.2) else {
                Issue.record("must be overloaded")
                return
            }
            _ = try await (slow.get(), low.get(), high.get())
            #expect(order.content.withLock { $0 } == ["high", "low"])
        }
    }

    @Test func `jobs over the budget of decoded bytes wait for running ones, and one alone runs anyway`() async throws {
        try await PoolBench.withPool {
            $0.workers = 2
            $0.decodeBytes = 1
        } _: { pool in
            async let first = pool.result(of: PoolBench.slowJob())
            try await pool.wait { $0.workers.contains(where: \.isBusy) && $0.ready == 2 }
            #expect(pool.statistics.decodedBytes > 1)
            let jobs = try (PoolBench.job(), PoolBench.job(priority: .high))
            async let second = pool.result(of: jobs.0)
            async let third = pool.result(of: jobs.1)
            try await pool.wait { $0.queued == 2 }
            // A worker is idle, and takes neither.
            #expect(pool.statistics.workers.count(where: \.isBusy) == 1)
            _ = try await (first.get(), second.get(), third.get())
            try await pool.wait { $0.decodedBytes == 0 }
            #expect(pool.statistics.jobs == 3)
        }
    }

    @Test func `a larger budget lets the next job start at once`() async throws {
        try await PoolBench.withPool {
            $0.workers = 2
            $0.decodeBytes = 1
        } _: { pool in
            let isSlowDone = Signal(false)
            let slow = pool.transform(try PoolBench.slowJob()) { _ in isSlowDone.update { $0 = true } }
            try await pool.wait { $0.workers.contains(where: \.isBusy) && $0.ready == 2 }
            async let next = pool.result(of: PoolBench.job())
            try await pool.wait { $0.queued == 1 }
            pool.setDecodeBudget(4 << 30)
            _ = try await next.get()
            #expect(!isSlowDone.value)
            slow.cancel()
        }
    }

    @Test func `stopping ends workers and cancels waiting jobs`() async throws {
        let pool = try WorkerPool(WorkerPool.Configuration(workers: 2))
        try await pool.wait { $0.workers.allSatisfy { $0.pid != 0 } }
        let job = try PoolBench.slowJob()
        async let first = pool.result(of: job)
        async let second = pool.result(of: job)
        async let third = pool.result(of: job)
        try await pool.wait { $0.queued == 1 && $0.workers.allSatisfy(\.isBusy) }
        let pids = pool.statistics.workers.map(\.pid)
        pool.stop()
        for result in await [first, second, third] {
            guard case .failure(.cancelled) = result else {
                Issue.record("\(result)")
                return
            }
        }
        // Reaped: no such process any more.
        for pid in pids { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
        guard case .failure(.cancelled) = await pool.result(of: job) else {
            Issue.record("a stopped pool takes no job")
            return
        }
        pool.stop()
    }

    @Test func `jobs fail instead of waiting if no worker can start`() async throws {
        try await PoolBench.withPool {
            $0.workerPath = "/nonexistent/edgeprint-worker"
        } _: { pool in
            for _ in 0..<2 {
                let result = try await pool.result(of: PoolBench.job())
                guard case .failure(.noWorker) = result else {
                    Issue.record("\(result)")
                    return
                }
            }
            guard case .failing(let reason) = pool.condition else {
                Issue.record("\(pool.condition)")
                return
            }
            #expect(reason.hasPrefix("/nonexistent/edgeprint-worker does not exist; "))
            // It is tried again, unlike in a slot that no job needs.
            #expect(pool.statistics.workers.first.map { $0.isFilled && $0.pid == 0 } == true)
        }
    }

    @Test func `a job outside the protocol's bounds is refused`() async throws {
        try await PoolBench.withPool { pool in
            guard case .failure(.refused) = try await pool.result(of: PoolBench.job(outputs: 17)) else {
                Issue.record("17 outputs")
                return
            }
        }
    }

    @Test func `a source shorter than stated is not the image's fault`() async throws {
        try await PoolBench.withPool { pool in
            var job = try PoolBench.job()
            job.sourceLength += 1
            guard case .failure(.workerLost) = await pool.result(of: job) else {
                Issue.record("must fail")
                return
            }
        }
    }
}

extension WorkerPool {
    /// Runs a job to its end after running something else on the pool's thread.
    fileprivate func result(
        of job: TransformJob,
        then body: @escaping @Sendable () -> Void
    ) async -> Result<TransformResult, PipelineError> {
        await withCheckedContinuation { continuation in
            _ = transform(job) { result in
                body()
                continuation.resume(returning: result)
            }
        }
    }
}

/// A value that concurrent parts of a test share.
private final class Shelf<Content: Sendable>: Sendable {
    let content: Lock<Content>

    init(_ content: Content) {
        self.content = Lock(content)
    }
}
