import CacheTestSupport
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// How long a variant waits for other variants of the same large original, and who pays for a job that several clients share.
@Suite(.timeLimit(.minutes(1)))
struct DecodeWaitTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    /// Lets one request's job begin.
    private func begin(_ priority: RequestPriority = .normal) throws -> (PendingAnswer, ScriptedTransformer.Job) {
        let first = rig.ask("large.png", try canonical("w=1900"), priority: priority, account: "a")
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 2000, height: 2000), at: rig.time.wallSeconds)
        return (first, try rig.transformer.wait(for: 1)[0])
    }

    @Test(arguments: [("b", RequestPriority.normal, Int64(1)), ("a", .background, 1), ("a", .normal, 2)])
    func `a variant waits for a job of its original for a limited time`(
        account: String,
        priority: RequestPriority,
        seconds: Int64
    ) throws {
        let (first, long) = try begin(priority)
        let plan = try canonical("w=400")
        let other = rig.ask("large.png", plan, account: account)
        try waitWhile(rig.pipeline.waitingTransforms < 1)
        #expect(rig.transformer.all.count == 1)
        // The time that it waits counts from now on.
        try rig.drainLane()
        rig.time.advance(seconds: seconds)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.first?.plan == plan && job.job.reduction == nil && job.job.account == account)
        job.makeAll(job.job.outputs.map { _ in [2] })
        #expect(try other.value().entity.memory == [2])
        long.makeAll(long.job.outputs.map { _ in [1] })
        #expect(try first.value().entity.memory == [1])
    }

    @Test func `variants that have waited for too long share a decode, and later ones use its mezzanine`() throws {
        let (first, long) = try begin()
        let plans = try [200, 300].map { try canonical("w=\($0)") }
        let others = plans.map { rig.ask("large.png", $0, account: "b") }
        try waitWhile(rig.pipeline.waitingTransforms < 2)
        // The time that they wait counts from now on.
        try rig.drainLane()
        rig.time.advance(seconds: 1)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(Set(job.job.outputs.map(\.plan)).isSuperset(of: plans))
        job.makeAll(job.job.outputs.map { _ in [2] })
        for other in others { _ = try other.value() }
        let later = rig.ask("large.png", try canonical("w=250"), account: "b")
        // It waits for the mezzanine, or has it already.
        try waitWhile(rig.pipeline.waitingTransforms < 1 && rig.transformer.all.count < 3)
        long.makeAll(long.job.outputs.map { _ in [1] })
        _ = try first.value()
        let last = try rig.transformer.wait(for: 3)[2]
        #expect(last.job.reduction != nil)
        last.makeAll(last.job.outputs.map { _ in [3] })
        #expect(try later.value().entity.memory == [3])
    }

    @Test func `a variant that takes too long is not tried again`() throws {
        let (first, job) = try begin()
        #expect(job.job.outputs.count > 1)
        job.fail(.transformTimeout)
        #expect(try first.error() == .transformTimeout)
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `a job is charged to the client whose variants are most of it`() throws {
        let requests = [("w=50", "a"), ("w=1600&blur=20", "b"), ("w=60", "c")]
        let pending = try requests.map { rig.ask("large.png", try canonical($0.0), account: $0.1) }
        // All of them wait for the download.
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 2000, height: 2000), at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.count >= 3 && job.job.account == "b")
        job.makeAll(job.job.outputs.map { _ in [1] })
        for pending in pending { _ = try pending.value() }
    }
}
