import CacheTestSupport
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Purges by prefix, tag, preset and age, and soft purges, in all tiers.
@Suite(.timeLimit(.minutes(1)))
struct PurgeFormTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private func purge(_ selection: PurgeSelection, isSoft: Bool = false) throws -> PurgeCounts {
        let done = Signal<PurgeCounts?>(nil)
        #expect(rig.pipeline.purge(selection, isSoft: isSoft) { counts in done.update { $0 = counts } })
        return try #require(try done.wait { $0 != nil })
    }

    private func isFresh(_ path: String, _ plan: String) -> Bool {
        rig.pipeline.cached(rig.request(path, plan), now: rig.time.wallSeconds) != nil
    }

    /// Stores an image in memory and on disk, with the origin's tags.
    private func fill(_ path: String, _ plan: String, tags: String? = nil, cacheControl: String? = nil) throws {
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let pending = rig.ask(path, plan)
        try rig.loader.wait(for: loads + 1)[loads].answer(
            rig.png(width: loads + 1),
            at: rig.time.wallSeconds,
            cacheControl: cacheControl,
            entityTag: "\"v1\"",
            tags: tags
        )
        try rig.transformer.wait(for: jobs + 1)[jobs].make([UInt8(jobs)])
        _ = try pending.value()
        try rig.settle()
    }

    @Test func `a tag is purged from memory and disk, also after a restart`() throws {
        try fill("a.png", "w=10", tags: "red, round")
        try fill("b.png", "w=10", tags: "blue")
        #expect(rig.pipeline.count(.tags(["red"])).memory == 1)
        let counts = try purge(.tags(["red"]))
        #expect(counts.memory == 1 && counts.originals == 1 && counts.variants == 1)
        #expect(!isFresh("a.png", "w=10") && isFresh("b.png", "w=10"))
        let restarted = try rig.restarted()
        #expect(try restarted.ask("b.png", "w=10").value().status == .hit(.disk))
        #expect(restarted.pipeline.count(.tags(["blue"])).memory == 1)
        _ = restarted.ask("a.png", "w=10")
        _ = try restarted.loader.wait(for: 1)
    }

    @Test func `a download in progress is stored depending on its tags`() throws {
        let red = rig.ask("a.png", "w=10")
        let blue = rig.ask("b.png", "w=10")
        let loads = try rig.loader.wait(for: 2).sorted { $0.fetch.target.text < $1.fetch.target.text }
        _ = try purge(.tags(["red"]))
        // The tags are not known yet, so a new request starts its own download.
        let after = rig.ask("a.png", "w=10")
        let second = try rig.loader.wait(for: 3)[2]
        loads[0].answer(rig.png(width: 5), at: 1000, tags: "red")
        loads[1].answer(rig.png(width: 6), at: 1000, tags: "blue")
        for job in try rig.transformer.wait(for: 2) { job.make([UInt8(job.job.header.width)]) }
        #expect(try red.value().entity.memory == [5])
        #expect(try blue.value().entity.memory == [6])
        try rig.settle()
        #expect(!isFresh("a.png", "w=10") && isFresh("b.png", "w=10"))
        #expect(rig.store.statistics.originals.entries == 1 && rig.store.statistics.variants.entries == 1)
        second.answer(rig.png(width: 7), at: 1000, tags: "red")
        try rig.transformer.wait(for: 3)[2].make([7])
        #expect(try after.value().entity.memory == [7])
        try rig.settle()
        #expect(isFresh("a.png", "w=10"))
    }

    @Test func `a prefix matches the start of the original's URL`() throws {
        try fill("2026/a.png", "w=10")
        try fill("2027/a.png", "w=10")
        let counts = try purge(.prefixes([OriginPrefix(source: "photos", url: "http://origin.test/2026/")]))
        #expect(counts.memory == 1 && counts.originals == 1 && counts.variants == 1)
        #expect(!isFresh("2026/a.png", "w=10") && isFresh("2027/a.png", "w=10"))
    }

    @Test func `originals that were not validated for long are purged`() throws {
        try fill("a.png", "w=10")
        rig.time.advance(seconds: 100)
        try fill("b.png", "w=10")
        let counts = try purge(.confirmedBefore(rig.time.wallSeconds - 50))
        #expect(counts.memory == 1 && counts.originals == 1)
        #expect(!isFresh("a.png", "w=10") && isFresh("b.png", "w=10"))
    }

    @Test func `a preset's images are purged, including those in progress, and its originals stay`() throws {
        try fill("a.png", "1?w=10")
        let other = rig.ask("a.png", "1?w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        _ = try other.value()
        let before = rig.ask("a.png", "1?w=10&q=50")
        let job = try rig.transformer.wait(for: 3)[2]
        try rig.settle()
        let thumb = PresetPattern(name: "thumb", preset: try Preset(name: "thumb", text: "w=10"))
        let counts = try purge(.preset(thumb))
        #expect(counts.memory == 1 && counts.variants == 1 && counts.originals == 0 && counts.flights == 1)
        job.make([3])
        #expect(try before.value().entity.memory == [3])
        try rig.settle()
        #expect(!isFresh("a.png", "1?w=10&q=50") && !isFresh("a.png", "1?w=10") && isFresh("a.png", "1?w=20"))
        let again = rig.ask("a.png", "1?w=10")
        try rig.transformer.wait(for: 4)[3].make([4])
        #expect(try again.value().status == .hit(.original))
        #expect(rig.loader.all.count == 1)
    }

    @Test(arguments: [false, true])
    func `after a soft purge the next request validates, and valid content stays`(isRestarted: Bool) throws {
        try fill("a.png", "w=10", tags: "red")
        let counts = try purge(.tags(["red"]), isSoft: true)
        #expect(counts.memory == 1 && counts.originals == 1 && counts.variants == 1)
        let rig = isRestarted ? try rig.restarted() : rig
        let count = isRestarted ? 0 : 1
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: 1000) == nil)
        let again = rig.ask("a.png", "w=10")
        let load = try rig.loader.wait(for: count + 1)[count]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: 1000)
        let answer = try again.value()
        #expect(answer.entity.memory == [0] && answer.status == .forwarded(.stale, status: 304, collapsed: false))
        #expect(rig.pipeline.cached(rig.request("a.png", "w=10"), now: 1000)?.memory == [0])
        try rig.settle()
        #expect(rig.pipeline.count(.tags(["red"])).variants == 1)
    }

    @Test func `a softly purged image may be served if stale ones may`() throws {
        try fill("a.png", "w=10", cacheControl: "max-age=600, stale-while-revalidate=60")
        _ = try purge(.all, isSoft: true)
        #expect(!isFresh("a.png", "w=10"))
        #expect(rig.pipeline.stale(rig.request("a.png", "w=10"), now: 1000)?.memory == [0])
        try rig.loader.wait(for: 2)[1].answerNotModified(at: 1000)
        try waitWhile(rig.pipeline.variantsUnderWay > 0)
        #expect(isFresh("a.png", "w=10"))
    }

    @Test func `results in progress during a soft purge are stale afterwards`() throws {
        let before = rig.ask("a.png", "w=10")
        let first = try rig.loader.wait(for: 1)[0]
        #expect(try purge(.source("photos"), isSoft: true).flights == 2)
        first.answer(rig.png(width: 5), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try before.value().entity.memory == [1])
        try rig.settle()
        #expect(!isFresh("a.png", "w=10"))
        _ = rig.ask("a.png", "w=10")
        _ = try rig.loader.wait(for: 2)
    }

    @Test func `a live state becomes stale with the record of a soft purge`() throws {
        let table = OriginTable()
        let record = CacheFixture.origin(1, body: [1])
        let state = table.state(for: record)
        var expired = record
        expired.expire(at: 1010)
        #expect(state.isFresh(at: 1020))
        #expect(table.state(for: expired) === state)
        #expect(!state.isFresh(at: 1020))
        // A later validation by the origin stays in force.
        var newer = record
        newer.freshness.responseTime = 2000
        _ = table.update(newer)
        _ = table.state(for: expired)
        #expect(state.isFresh(at: 2020))
    }
}
