import CacheTestSupport
import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

/// In whose turns work is done that several clients wait for.
@Suite(.timeLimit(.minutes(1)))
struct SharedTurnTests {
    private let rig: PipelineRig
    private let a = Claim("a", .normal)
    private let b = Claim("b", .high)

    init() throws { rig = try PipelineRig() }

    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    @Test(arguments: ["w=10", "w=20"])
    func `a download may start in the turn of each client that waits for it, also for another variant`(_ plan: String)
        throws
    {
        let first = rig.ask("a.png", "w=10", account: "a")
        let load = try rig.loader.wait(for: 1)[0]
        #expect(load.turns == [a] && load.fetch.account == "a")
        let other = rig.ask("a.png", plan, priority: .high, account: "b")
        try waitWhile(load.changes < 1)
        #expect(load.turns == [a, b])
        // The same again changes nothing.
        let again = rig.ask("a.png", plan, account: "b")
        try rig.drainLane()
        first.leave()
        #expect(load.turns == [b] && load.changes == 2)
        load.answer(rig.png(), at: rig.time.wallSeconds)
        // What is queued later knows them, too.
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.turns == [b])
        job.make([1])
        for answer in [other, again] { #expect(try answer.value().entity.memory == [1]) }
    }

    @Test func `a transform may start in the turn of each client that waits for it`() throws {
        let first = rig.ask("a.png", "w=10", account: "a")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.turns == [a] && job.job.account == "a")
        let other = rig.ask("a.png", "w=10", priority: .high, account: "b")
        try waitWhile(job.raised.isEmpty)
        #expect(job.turns == [a, b])
        first.leave()
        #expect(job.turns == [b] && job.raised.count == 2 && !job.isCancelled)
        job.make([1])
        #expect(try other.value().entity.memory == [1])
    }

    @Test func `so may the download of another original that a variant needs`() throws {
        let source = SourceRule(name: "logos", location: .http(prefix: "http://logos.test/"))
        let logo = OriginRequest(source: source, at: "http://logos.test/a.png")
        let request = VariantRequest(
            origin: rig.request("a.png", "w=10").origin,
            plan: "w=10",
            bucket: nil,
            auxiliaries: [Auxiliary(name: "logos/a.png", parameter: "watermark", origin: logo)]
        )
        func ask(_ claim: Claim) -> Subscription {
            var context = LoadContext()
            (context.account, context.priority) = (claim.account, claim.priority)
            return rig.pipeline.load(request, context) { _ in }
        }
        let first = ask(a)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        let load = try rig.loader.wait(for: 2)[1]
        #expect(load.turns == [a])
        let second = ask(b)
        try waitWhile(load.changes < 1)
        #expect(load.turns == [a, b])
        first.cancel()
        #expect(load.turns == [b])
        second.cancel()
        try load.waitForCancel()
    }

    @Test func `a refresh is the daemon's until a client joins it`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=10, stale-while-revalidate=60")
        rig.time.advance(seconds: 20)
        #expect(try rig.ask("a.png", "w=10", account: "a").value().status == .hit(.stale))
        let refresh = try rig.loader.wait(for: 2)[1]
        #expect(refresh.turns == [Claim(nil, .background)])
        // Nothing of this variant is stored.
        let other = rig.ask("a.png", "w=20", priority: .high, account: "b")
        try waitWhile(refresh.changes < 1)
        #expect(refresh.turns == [b])
        other.leave()
        #expect(refresh.turns == [Claim(nil, .background)])
        refresh.answer(rig.png(width: 1600), at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.turns == [Claim(nil, .low)])
        job.make([2])
    }

    @Test func `clients that wait for most of a job share its turns, and others do not`() throws {
        let requests = [("w=50", "a"), ("w=1600&blur=20", "b"), ("w=60", "c"), ("w=1600&blur=20", "d")]
        let pending = try requests.map { rig.ask("large.png", try canonical($0.0), account: $0.1) }
        // All of them wait for the download.
        try rig.drainLane()
        let load = try rig.loader.wait(for: 1)[0]
        #expect(Set(load.turns.map(\.account)) == ["a", "b", "c", "d"])
        load.answer(rig.png(width: 2000, height: 2000), at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.count >= 3 && job.turns.map(\.account) == ["b", "d"] && job.job.account == "b")
        pending[1].leave()
        #expect(job.turns.map(\.account) == ["d"])
        job.makeAll(job.job.outputs.map { _ in [1] })
        for index in [0, 2, 3] { _ = try pending[index].value() }
    }

    /// Asks for a small and a large image of one original; returns their job, which waits.
    private func group() throws -> (answers: [PendingAnswer], job: ScriptedTransformer.Job) {
        let answers = try ["w=50", "w=1600&blur=20"].map { rig.ask("large.png", try canonical($0), account: "a") }
        try rig.drainLane()
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 2000, height: 2000), at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.count >= 2 && job.turns.map(\.account) == ["a"])
        job.isWaiting = true
        try rig.drainLane()
        return (answers, job)
    }

    @Test func `what a client waits for of another's job is made apart in its turn if the job does not start`() throws {
        let (answers, job) = try group()
        let joined = rig.ask("large.png", try canonical("w=50"), account: "b")
        rig.time.advance(seconds: 1)
        let apart = try rig.transformer.wait(for: 2)[1]
        #expect(apart.job.outputs.map(\.plan) == [try canonical("w=50")])
        #expect(apart.turns.map(\.account) == ["b"] && apart.job.account == "b" && job.turns.map(\.account) == ["a"])
        apart.make([[2]], as: .jpeg)
        for answer in [answers[0], joined] { #expect(try answer.value().entity.memory == [2]) }
        #expect(!job.isCancelled)
        // It may also have an output that nobody waits for any more.
        job.makeAll(job.job.outputs.map { _ in [1] })
        #expect(try answers[1].value().entity.memory == [1])
        #expect(rig.transformer.all.count == 2)
    }

    @Test func `what is made apart is cancelled when its client leaves, or when the others' job is done first`() throws
    {
        let (answers, job) = try group()
        let plan = try canonical("w=50")
        let leaving = rig.ask("large.png", plan, account: "b")
        rig.time.advance(seconds: 1)
        let first = try rig.transformer.wait(for: 2)[1]
        leaving.leave()
        try waitWhile(!first.isCancelled)
        #expect(!job.isCancelled)
        let joined = rig.ask("large.png", plan, account: "b")
        rig.time.advance(seconds: 1)
        let second = try rig.transformer.wait(for: 3)[2]
        job.makeAll(job.job.outputs.map { _ in [1] })
        for answer in answers + [joined] { #expect(try answer.value().entity.memory == [1]) }
        try waitWhile(!second.isCancelled)
    }

    @Test func `a failure of what is made apart leaves it to the others' job`() throws {
        let (answers, job) = try group()
        let joined = rig.ask("large.png", try canonical("w=50"), account: "b")
        rig.time.advance(seconds: 1)
        try rig.transformer.wait(for: 2)[1].fail(.overloaded("late"))
        job.makeAll(job.job.outputs.map { _ in [1] })
        for answer in answers + [joined] { #expect(try answer.value().entity.memory == [1]) }
    }

    @Test func `an order that another client joins waits less for a job of its first client`() throws {
        let first = rig.ask("large.png", try canonical("w=1900"), account: "a")
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 2000, height: 2000), at: rig.time.wallSeconds)
        let long = try rig.transformer.wait(for: 1)[0]
        let plan = try canonical("w=400")
        let second = rig.ask("large.png", plan, account: "a")
        try waitWhile(rig.pipeline.waitingTransforms < 1)
        try rig.drainLane()
        let joined = rig.ask("large.png", plan, account: "b")
        rig.time.advance(seconds: 1)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.first?.plan == plan && job.turns.map(\.account) == ["a", "b"])
        job.makeAll(job.job.outputs.map { _ in [2] })
        for answer in [second, joined] { #expect(try answer.value().entity.memory == [2]) }
        long.makeAll(long.job.outputs.map { _ in [1] })
        #expect(try first.value().entity.memory == [1])
    }

    @Test func `a request is refused before its download only if each client that waits for it would be`() throws {
        rig.transformer.refused.withLock { $0 = ["a"] }
        #expect(try rig.ask("a.png", "w=10", account: "a").error()?.isOverload == true)
        let lane = try rig.holdLane()
        let pending = ["a", "b"].map { rig.ask("a.png", "w=10", account: $0) }
        lane.free()
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        for answer in pending { #expect(try answer.value().entity.memory == [1]) }
    }
}
