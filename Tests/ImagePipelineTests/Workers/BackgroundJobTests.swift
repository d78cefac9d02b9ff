import Glibc
import ImagePlan
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

    @Test func `a job that is cancelled after it was set back is not queued again`() throws {
        let queue = try TransformQueue(TransformSchedule.Limits(workers: 1), time: ManualTime())
        let ends = try CompletionThread()
        defer { ends.close() }
        let job = try PoolBench.job()
        let pending = PendingTransform(id: 1, message: [], job: job, arrival: 0, queue: queue, ends: ends) { _ in }
        try queue.append(pending)
        let driver = try WakeEvent()
        #expect(queue.take() === pending && pending.begin(driver) && pending.setBack())
        pending.cancel()
        queue.release(pending)
        #expect(queue.count == 0 && queue.take() == nil)
    }

    @Test func `clients are charged for jobs that wait and run, and for what they took`() throws {
        let (time, accounts) = (ManualTime(), ClientAccounts())
        let queue = try TransformQueue(TransformSchedule.Limits(workers: 2), accounts: accounts, time: time)
        let ends = try CompletionThread()
        defer { ends.close() }
        var job = try PoolBench.job()
        job.account = "a"
        let pending = (1...3).map { number in
            PendingTransform(id: number, message: [], job: job, arrival: 0, queue: queue, ends: ends) { _ in }
        }
        for one in pending { try queue.append(one) }
        #expect(accounts.use(of: "a").waitingTransforms == 3)
        let first = try #require(queue.take())
        #expect(accounts.use(of: "a").transforms == 1 && accounts.use(of: "a").waitingTransforms == 2)
        pending[2].cancel()
        #expect(accounts.use(of: "a").waitingTransforms == 1)
        #expect(first.begin(try WakeEvent()))
        time.advance(seconds: 3)
        first.end(.failure(.workerLost))
        queue.release(first)
        #expect(accounts.use(of: "a").transforms == 0 && accounts.use(of: "a").transformMilliseconds == 3_000)
        _ = queue.review()
        #expect(accounts.count == 0, "the last one has expired")
    }

    @Test func `drivers are woken for jobs that wait behind one that expires`() throws {
        let time = ManualTime()
        // Room for one image of the first client, and for small ones beside it.
        let queue = try TransformQueue(TransformSchedule.Limits(workers: 3, bytes: 1_000_000), time: time)
        let ends = try CompletionThread()
        defer { ends.close() }
        var number: UInt64 = 0
        func append(_ account: String, _ side: Int) throws -> PendingTransform {
            number += 1
            var job = try PoolBench.job()
            job.account = account
            job.header = ImageHeader(format: .png, width: side, height: side)
            let pending = PendingTransform(
                id: number,
                message: [],
                job: job,
                arrival: time.monotonic,
                queue: queue,
                ends: ends
            ) { _ in }
            try queue.append(pending)
            return pending
        }
        let running = try append("a", 400)
        #expect(queue.take() === running && running.decodedBytes <= 1_000_000 && 2 * running.decodedBytes > 1_000_000)
        let large = try append("b", 400)
        time.advance(seconds: 1)
        let small = try append("c", 4)
        // Neither of two drivers finds a job that fits: smaller jobs do not overtake.
        #expect(queue.take() == nil && queue.take() == nil)
        var entry = pollfd(fd: queue.event.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&entry, 1, 0) == 0)
        time.advance(seconds: 1)
        #expect(queue.review() && large.isAbandoned && !small.isAbandoned)
        #expect(unsafe poll(&entry, 1, 0) == 1, "a driver is woken")
        #expect(queue.take() === small)
    }

    @Test func `other jobs precede background jobs`() throws {
        let queue = try TransformQueue(TransformSchedule.Limits(workers: 3, waiting: 2), time: ManualTime())
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
        #expect(queue.hasBackground && queue.takeBackground(ready: 3) == nil)
        let high = try #require(queue.take())
        #expect(high.job.priority == .high && queue.takeBackground(ready: 3) == nil)
        let low = try #require(queue.take())
        #expect(low.job.priority == .low && queue.take() == nil)
        // One worker of three is idle, which stays free for requests.
        #expect(queue.takeBackground(ready: 3) == nil)
        queue.release(high)
        #expect(queue.takeBackground(ready: 3)?.job.priority == .background && queue.takeBackground(ready: 3) == nil)
        #expect(!queue.hasBackground && queue.count == 0)
    }

    @Test func `a job that is raised precedes later ones of its old priority, and can be cancelled`() throws {
        let queue = try TransformQueue(TransformSchedule.Limits(workers: 4), time: ManualTime())
        let ends = try CompletionThread()
        defer { ends.close() }
        let clients = (0..<5).map { _ in WaitingClients() }
        func pending(_ id: UInt64, _ priority: TransformJob.Priority) throws -> PendingTransform {
            var job = try PoolBench.job(priority: priority)
            job.claims = clients[Int(id)].claims
            return PendingTransform(id: id, message: [], job: job, arrival: 0, queue: queue, ends: ends) { _ in }
        }
        let all = try [pending(1, .background), pending(2, .low), pending(3, .normal), pending(4, .high)]
        for one in all { try queue.append(one) }
        func raise(_ index: Int, to priority: RequestPriority) {
            clients[index + 1].all = [Claim(nil, priority)]
            all[index].waitersChanged()
        }
        raise(0, to: .normal)
        raise(3, to: .low)
        #expect(!queue.hasBackground && queue.count == 4)
        #expect([queue.take(), queue.take(), queue.take()].map { $0?.id } == [4, 3, 1])
        raise(1, to: .high)
        all[1].cancel()
        #expect(queue.count == 0 && queue.take() == nil)
        raise(1, to: .high)
        #expect(queue.count == 0)
    }

    @Test func `a raised background job runs although no other worker is idle`() async throws {
        try await PoolBench.withPool(workers: 2) { pool in
            try await pool.wait { $0.ready == 2 }
            let isSlowDone = Signal(false)
            let slow = pool.transform(try PoolBench.slowJob()) { _ in isSlowDone.update { $0 = true } }
            try await pool.wait { $0.workers.contains(where: \.isBusy) }
            let result = Signal<Result<TransformResult, PipelineError>?>(nil)
            let clients = WaitingClients()
            var prefetch = try PoolBench.job(priority: .background)
            prefetch.claims = clients.claims
            let job = pool.transform(prefetch) { made in result.update { $0 = made } }
            clients.all = [Claim(nil, .normal)]
            job.waitersChanged()
            #expect(throws: Never.self) { try result.wait { $0 != nil }?.get() }
            #expect(!isSlowDone.value)
            slow.cancel()
        }
    }

    @Test func `a single worker runs background jobs when nothing else waits`() async throws {
        try await PoolBench.withPool { pool in
            #expect(!pool.hasBackground)
            _ = try await pool.result(of: PoolBench.job(priority: .background)).get()
        }
    }
}
