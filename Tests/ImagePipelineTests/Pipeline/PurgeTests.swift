import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PurgeTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private func purge(_ selection: PurgeSelection) throws -> PurgeCounts {
        let done = Signal<PurgeCounts?>(nil)
        #expect(rig.pipeline.purge(selection) { counts in done.update { $0 = counts } })
        return try #require(try done.wait { $0 != nil })
    }

    private func original(_ path: String) -> PurgeSelection { .originals([rig.request(path, nil).origin.key]) }

    private func isCached(_ path: String, _ plan: String) -> Bool {
        rig.pipeline.cached(rig.request(path, plan), now: rig.time.wallSeconds) != nil
    }

    @Test func `removes an original and its variants from memory and disk`() throws {
        try rig.fill("a.png", "w=10", with: [1])
        try rig.fill("a.png", "w=20", with: [2, 2])
        let counts = try purge(original("a.png"))
        #expect(counts.originals == 1 && counts.variants == 2 && counts.memory == 2 && counts.flights == 0)
        #expect(counts.bytes == rig.png().count + 3)
        #expect(!isCached("a.png", "w=10"))
        let again = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 6), at: 1000)
        try rig.transformer.wait(for: 3)[2].make([3])
        #expect(try again.value().status == .miss)
        #expect(try purge(original("b.png")) == PurgeCounts())
    }

    @Test func `fetches from the origin without conditions afterwards`() throws {
        try rig.fill("a.png", "w=10", with: [1], entityTag: "\"v1\"")
        _ = try purge(.source("photos"))
        rig.time.advance(seconds: 100_000)
        _ = rig.ask("a.png", "w=10")
        #expect(try rig.loader.wait(for: 2)[1].fetch.entityTag == nil)
    }

    @Test func `nothing reappears after a restart`() throws {
        try rig.fill("a.png", "w=10", with: [1])
        _ = try purge(.all)
        let restarted = try rig.restarted()
        _ = restarted.ask("a.png", "w=10")
        _ = try restarted.loader.wait(for: 1)
    }

    @Test(arguments: [false, true])
    func `a download in progress is delivered only to its waiters`(bySource: Bool) throws {
        let before = rig.ask("a.png", "w=10")
        let first = try rig.loader.wait(for: 1)[0]
        let counts = try purge(bySource ? .source("photos") : original("a.png"))
        #expect(counts.flights == 2)
        // A new request does not join it.
        let after = rig.ask("a.png", "w=10")
        let second = try rig.loader.wait(for: 2)[1]
        first.answer(rig.png(width: 5), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try before.value().entity.memory == [1])
        try rig.settle()
        #expect(!isCached("a.png", "w=10"))
        #expect(rig.store.statistics.originals.entries == 0 && rig.store.statistics.variants.entries == 0)
        second.answer(rig.png(width: 6), at: 1000)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try after.value().entity.memory == [2])
        try rig.settle()
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: 1000)?.memory == [2])
        #expect(rig.store.statistics.originals.entries == 1 && rig.store.statistics.variants.entries == 1)
    }

    @Test func `an old download that finishes last does not affect the new one`() throws {
        let before = rig.ask("a.png", "w=10")
        let first = try rig.loader.wait(for: 1)[0]
        _ = try purge(original("a.png"))
        let after = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 6), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([2])
        #expect(try after.value().entity.memory == [2])
        first.answer(rig.png(width: 5), at: 1000)
        try rig.transformer.wait(for: 2)[1].make([1])
        #expect(try before.value().entity.memory == [1])
        try rig.settle()
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: 1000)?.memory == [2])
        let third = rig.ask("a.png", "w=20")
        try rig.transformer.wait(for: 3)[2].make([3])
        #expect(try third.value().status == .hit(.original))
    }

    @Test func `a transform in progress is delivered only to its waiters`() throws {
        let before = rig.ask("a.png", "w=10")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        try rig.settle()
        let counts = try purge(original("a.png"))
        #expect(counts.originals == 1 && counts.flights == 1)
        job.make([1])
        #expect(try before.value().entity.memory == [1])
        try rig.settle()
        #expect(!isCached("a.png", "w=10"))
        #expect(rig.store.statistics.variants.entries == 0)
    }

    @Test func `a validation in progress stores no old content`() throws {
        try rig.fill("a.png", "w=10", with: [1], cacheControl: "max-age=60", entityTag: "\"v1\"")
        rig.time.advance(seconds: 61)
        let before = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: 2)[1]
        #expect(load.fetch.entityTag == "\"v1\"")
        _ = try purge(original("a.png"))
        load.answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=60")
        #expect(try before.value().entity.memory == [1])
        try rig.settle()
        #expect(!isCached("a.png", "w=10"))
        #expect(rig.store.statistics.variants.entries == 0 && rig.store.statistics.originals.entries == 0)
        _ = rig.ask("a.png", "w=10")
        #expect(try rig.loader.wait(for: 3)[2].fetch.entityTag == nil)
    }

    @Test func `another source and another original stay`() throws {
        try rig.fill("a.png", "w=10", with: [1])
        let other = rig.ask("b.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 9), at: 1000)
        try rig.transformer.wait(for: 2)[1].make([2])
        _ = try other.value()
        try rig.settle()
        #expect(try purge(.source("elsewhere")) == PurgeCounts())
        #expect(rig.pipeline.count(original("a.png")).variants == 1)
        #expect(rig.pipeline.count(.all).originals == 2)
        _ = try purge(original("a.png"))
        #expect(isCached("b.png", "w=10") && !isCached("a.png", "w=10"))
        #expect(rig.pipeline.count(.source("photos")).variants == 1)
    }
}
