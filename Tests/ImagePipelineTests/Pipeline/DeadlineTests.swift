import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

/// Work that is reached only after all who wait for it have given up.
@Suite(.timeLimit(.minutes(1)))
struct DeadlineTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    /// The context of a client's request that becomes useless after some seconds.
    private func context(_ seconds: Int64?, account: String? = "192.0.2.1") -> LoadContext {
        var context = LoadContext()
        context.account = account
        context.deadline = SharedDeadline(seconds.map { rig.time.monotonic + $0 * 1_000_000_000 })
        return context
    }

    private func ask(_ path: String, _ plan: String?, _ context: LoadContext) -> PendingAnswer {
        let pending = PendingAnswer()
        pending.subscription.withLock { subscription in
            subscription = rig.pipeline.load(rig.request(path, plan), context) { result in
                pending.outcome.update { $0 = result }
            }
        }
        return pending
    }

    @Test(arguments: ["w=10", nil])
    func `a look-up that is reached after its deadline ends as overloaded, without a request to the origin`(
        plan: String?
    ) throws {
        let lane = try rig.holdLane()
        let late = ask("a.png", plan, context(5))
        rig.time.advance(seconds: 5)
        lane.free()
        #expect(try late.error() == .overloaded("the request waited too long for the disk"))
        #expect(rig.loader.all.isEmpty)
        #expect(rig.pipeline.failures.list(limit: 1).isEmpty)
    }

    @Test func `the latest deadline of those who wait for one look-up counts`() throws {
        let lane = try rig.holdLane()
        let early = ask("a.png", "w=10", context(5))
        let later = ask("a.png", "w=10", context(6))
        rig.time.advance(seconds: 5)
        lane.free()
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try early.value().entity.memory == [1])
        #expect(try later.value().entity.memory == [1])
    }

    @Test func `a stale image is served if its original's look-up is late`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60, stale-if-error=600")
        rig.time.advance(seconds: 61)
        let lane = try rig.holdLane()
        let pending = ask("a.png", "w=10", context(5))
        rig.time.advance(seconds: 5)
        lane.free()
        let answer = try pending.value()
        #expect(answer.entity.memory == [1] && answer.status == .hit(.stale))
        #expect(rig.loader.all.count == 1)
    }

    @Test func `the account and the latest deadline reach the origin's fetch and the worker's job`() throws {
        let lane = try rig.holdLane()
        let requests = [ask("a.png", "w=10", context(5)), ask("a.png", "w=20", context(9, account: "192.0.2.2"))]
        lane.free()
        let start = rig.time.monotonic
        let fetch = try rig.loader.wait(for: 1)[0]
        // Which of them fetches depends on the threads of the lane.
        let account = try #require(fetch.fetch.account)
        #expect(["192.0.2.1", "192.0.2.2"].contains(account))
        #expect([5, 9].map { start + $0 * 1_000_000_000 }.contains(fetch.fetch.deadline))
        let request = TransferRequest(fetch.fetch)
        #expect(request.account == account && request.deadline == fetch.fetch.deadline)
        try rig.drainLane()
        fetch.answer(rig.png(), at: rig.time.wallSeconds)
        let jobs = try rig.transformer.wait(for: 2)
        let late = jobs.filter { $0.job.account == "192.0.2.2" }
        #expect(late.count == 1 && late[0].job.deadline.nanoseconds == start + 9_000_000_000)
        let early = try #require(jobs.first { $0.job.account == "192.0.2.1" })
        #expect(early.job.deadline.nanoseconds == start + 5_000_000_000)
        // A later request for the same variant extends it, even in the queue.
        let third = ask("a.png", "w=10", context(30))
        #expect(early.job.deadline.nanoseconds == start + 30_000_000_000)
        for job in jobs { job.make([1]) }
        for pending in requests + [third] { _ = try pending.value() }
    }

    @Test func `a job for several variants has the latest deadline of those that are still wanted`() throws {
        let large = rig.png(width: 2000, height: 2000)
        let first = ask("large.png", "1?w=300", context(5))
        let second = ask("large.png", "1?w=200", context(9))
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(large, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        // With their mezzanine.
        #expect(job.job.outputs.count == 3)
        #expect(job.job.deadline.nanoseconds == rig.time.monotonic + 9_000_000_000)
        second.leave()
        #expect(job.job.deadline.nanoseconds == rig.time.monotonic + 5_000_000_000)
        job.makeAll([[1], [2], [3]])
        _ = try first.value()
    }

    @Test func `the daemon's own work has no account and no deadline`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60, stale-while-revalidate=600")
        rig.time.advance(seconds: 61)
        let stale = ask("a.png", "w=10", context(5))
        #expect(try stale.value().status == .hit(.stale))
        let fetch = try rig.loader.wait(for: 2)[1]
        #expect(fetch.fetch.account == nil && fetch.fetch.deadline == nil)
        fetch.answerNotModified(at: rig.time.wallSeconds)
    }

    @Test func `a look-up for a raw source that is reached after its deadline ends as overloaded`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), ["Cache-Control: max-age=600"], body: "a")
        try rig.settle()
        rig.flush()
        try rig.restart()
        let lane = try rig.holdLane()
        var request = RawRig.request()
        request.deadline = SharedDeadline(rig.time.monotonic + 5_000_000_000)
        let outcome = Signal<Result<RawAnswer, PipelineError>?>(nil)
        _ = rig.proxy.load(request) { result in outcome.update { $0 = result } }
        rig.time.advance(seconds: 5)
        lane.free()
        guard case .failure(let error)? = try outcome.wait(until: { $0 != nil }) else {
            Issue.record("served")
            return
        }
        #expect(error == .overloaded("the request waited too long for the disk"))
        // Others find the response on disk.
        #expect(try rig.ask(RawRig.request()).text == "a")
        #expect(rig.loader.all.count == 1)
    }

    @Test func `a deadline is the sum of the timeouts of the request's phases`() {
        func change(_ rule: inout SourceRule) {
            rule.timeouts.total = 7_000
            rule.timeouts.transform = 2_000
        }
        let plain = rig.request("a.png", nil, rule: change)
        let variant = rig.request("a.png", "w=10", rule: change)
        let mark = rig.request("mark.png", nil) { $0.timeouts.total = 4_000 }
        let marked = VariantRequest(
            origin: variant.origin,
            plan: "w=10",
            bucket: nil,
            auxiliaries: [Auxiliary(name: "mark.png", parameter: "watermark", origin: mark.origin)]
        )
        #expect(plain.origin.deadline(from: 5).nanoseconds == 7_000_000_005)
        #expect(plain.deadline(from: 5).nanoseconds == 7_000_000_005)
        #expect(variant.deadline(from: 5).nanoseconds == 9_000_000_005)
        #expect(marked.deadline(from: 5).nanoseconds == 13_000_000_005)
        #expect(variant.deadline(from: .max).nanoseconds == nil)
    }
}
