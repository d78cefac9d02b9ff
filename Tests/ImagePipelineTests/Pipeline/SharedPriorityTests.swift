import HTTPCache
import HTTPSemantics
import ImagePipeline
import TestSupport
import Testing

/// Requests that join work in a queue raise it to their priority.
@Suite(.timeLimit(.minutes(1)))
struct SharedPriorityTests {
    private let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    @Test(arguments: ["w=10", "w=20"])
    func `a more urgent request raises the download of the same or another variant`(_ plan: String) throws {
        let first = rig.ask("a.png", "w=10", priority: .low)
        let load = try rig.loader.wait(for: 1)[0]
        #expect(load.fetch.priority == .low)
        let urgent = rig.ask("a.png", plan, priority: .high)
        try waitWhile(load.raised != [.high])
        // Less urgent ones change nothing.
        let last = rig.ask("a.png", plan, priority: .low)
        load.answer(rig.png(), at: 1000)
        let jobs = try rig.transformer.wait(for: plan == "w=10" ? 1 : 2)
        for job in jobs { job.make([1]) }
        for answer in [first, urgent, last] { #expect(try answer.value().entity.memory == [1]) }
        #expect(load.raised == [.high])
        #expect(rig.loader.all.count == 1)
        #expect(jobs.map(\.job.priority).max() == .high)
    }

    @Test func `a client that joins a refresh raises its download`() throws {
        try rig.fill(
            "a.png",
            "w=10",
            with: [1],
            cacheControl: "max-age=10, stale-while-revalidate=60",
            entityTag: "\"e\""
        )
        rig.time.advance(seconds: 20)
        #expect(try rig.ask("a.png", "w=10").value().status == .hit(.stale))
        let refresh = try rig.loader.wait(for: 2)[1]
        #expect(refresh.fetch.priority == .background)
        var demand = CacheDemand.none
        demand.maxAge = 5
        // Joins by its own flight of the variant, since it wants another freshness, and so does not raise the refresh.
        let strict = rig.ask("a.png", "w=10", demand: demand, priority: .high)
        let own = try rig.loader.wait(for: 3)[2]
        #expect(own.fetch.priority == .high && refresh.raised.isEmpty)
        refresh.answerNotModified(at: rig.time.wallSeconds)
        own.answerNotModified(at: rig.time.wallSeconds)
        _ = try strict.value()
    }

    @Test func `a more urgent request raises the transform`() throws {
        let first = rig.ask("a.png", "w=10", priority: .low)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.priority == .low)
        let urgent = rig.ask("a.png", "w=10", priority: .high)
        try waitWhile(job.raised.max() != .high)
        job.make([1])
        for answer in [first, urgent] { #expect(try answer.value().entity.memory == [1]) }
    }
}
