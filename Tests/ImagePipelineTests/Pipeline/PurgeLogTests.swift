import Glibc
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

/// Entries of the log of purges, and gaps in it, on a node that is in touch.
@Suite(.timeLimit(.minutes(1)))
struct PurgeLogTests {
    private let rig: PipelineRig

    init() throws {
        rig = try PipelineRig(outOfTouch: .revalidate)
        rig.progress.stayInTouch(until: .max)
    }

    private func place(_ sequence: Int64, _ log: String = "") -> PurgePlace {
        PurgePlace(sequence: sequence, mark: "\(log)\(sequence)")
    }

    private func fill() throws {
        try rig.fill("photo.png", "w=10", with: [1], cacheControl: "max-age=600", entityTag: "\"v1\"")
    }

    /// Validates the photo, and returns the load's number.
    private func validate(_ plan: String? = "w=10", load number: Int, in rig: PipelineRig) throws -> CacheStatus {
        let pending = rig.ask("photo.png", plan)
        let load = try rig.loader.wait(for: number)[number - 1]
        #expect(load.fetch.entityTag == "\"v1\"")
        load.answerNotModified(at: rig.time.wallSeconds)
        return try pending.value().status
    }

    @Test func `an applied entry is visible, advances the sequence and becomes durable`() throws {
        try fill()
        let key = rig.request("photo.png", nil).origin.key
        #expect(rig.progress.covers(PurgeSubject(origin: key, source: "photos"), since: 0) == false)
        let done = Signal<PurgeCounts?>(nil)
        let purge = Purge(.originals([key]))
        let others = Lock<[Purge]>([])
        let isApplied = rig.pipeline.apply(purge, at: place(1)) { purge in
            others.withLock { $0.append(purge) }
            return 1
        } completion: { counts in
            done.update { $0 = counts }
        }
        #expect(isApplied && rig.hit("photo.png", "w=10") == nil)
        #expect(rig.progress.sequence == 1 && rig.progress.place == place(1))
        #expect(rig.progress.covers(PurgeSubject(origin: key, source: "photos"), since: 0) == true)
        #expect(others.withLock { $0 } == [purge])
        #expect(try done.wait { $0 != nil }?.variants == 1)
        #expect(rig.store.position?.place == place(1))
        // An entry that has been applied is ignored.
        try fillAgain()
        #expect(rig.pipeline.apply(purge, at: place(1)) && rig.hit("photo.png", "w=10") == [2])
    }

    private func fillAgain() throws {
        let pending = rig.ask("photo.png", "w=10")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 9), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: 2)[1].make([2])
        _ = try pending.value()
        try rig.settle()
    }

    @Test func `downloads carry what was known when they began`() throws {
        let pending = rig.ask("photo.png", nil)
        let load = try rig.loader.wait(for: 1)[0]
        #expect(rig.pipeline.apply(Purge(.source("other")), at: place(1)))
        load.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        _ = try pending.value()
        try rig.settle()
        let key = rig.request("photo.png", nil).origin.key
        #expect(try #require(rig.store.origin(key)).record.stamp.sequence == 0)
        rig.time.advance(seconds: 601)
        let next = rig.ask("photo.png", nil)
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds)
        _ = try next.value()
        try rig.settle()
        #expect(try #require(rig.store.origin(key)).record.stamp.sequence == 1)
    }

    @Test func `a soft purge of the log makes entries stale`() throws {
        try fill()
        let now = rig.time.wallSeconds
        #expect(rig.pipeline.apply(Purge(.all, staleFrom: now), at: place(1)))
        #expect(rig.hit("photo.png", "w=10") == nil)
        #expect(try validate(load: 2, in: rig) == .revalidated)
    }

    @Test func `after a gap everything needs one validation, and nothing more`() throws {
        try fill()
        let era = rig.progress.era
        rig.pipeline.raiseFloor(to: place(40, "other"))
        #expect(rig.progress.era != era && rig.progress.place == place(40, "other"))
        #expect(rig.hit("photo.png", "w=10") == nil)
        #expect(try validate(load: 2, in: rig) == .revalidated)
        #expect(rig.hit("photo.png", "w=10") == [1])
        let other = rig.ask("photo.png", "w=20")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().status == .hit(.original))
        #expect(rig.loader.all.count == 2)
        try rig.settle()
        #expect(rig.store.position == PurgePosition(place: place(40, "other"), era: rig.progress.era))
    }

    @Test func `after a gap another size is not made from an unvalidated original`() throws {
        try fill()
        rig.pipeline.raiseFloor(to: place(40))
        let pending = rig.ask("photo.png", "w=20")
        let load = try rig.loader.wait(for: 2)[1]
        #expect(load.fetch.entityTag == "\"v1\"" && rig.transformer.all.count == 1)
        load.answerNotModified(at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try pending.value().status == .revalidated)
    }

    @Test func `after a gap the auxiliary images of a variant are validated, too`() throws {
        let picture = rig.request("photo.png", "w=10")
        let logos = SourceRule(name: "logos", location: .http(prefix: "http://logos.test/"))
        let logo = OriginRequest(source: logos, at: "http://logos.test/a.png")
        let request = VariantRequest(
            origin: picture.origin,
            plan: "w=10",
            bucket: nil,
            auxiliaries: [Auxiliary(name: "logos/a.png", parameter: "watermark", origin: logo)]
        )
        func ask() -> Signal<Answer?> {
            let answer = Signal<Answer?>(nil)
            _ = rig.pipeline.load(request) { result in answer.update { $0 = try? result.get() } }
            return answer
        }
        let first = ask()
        for number in 1...2 {
            let tag = "\"\(number)\""
            try rig.loader.wait(for: number)[number - 1].answer(
                rig.png(width: number),
                at: rig.time.wallSeconds,
                cacheControl: "max-age=600",
                entityTag: tag
            )
        }
        try rig.transformer.wait(for: 1)[0].make([1])
        try first.wait { $0 != nil }
        rig.pipeline.raiseFloor(to: place(40))
        let second = ask()
        for number in 3...4 {
            let load = try rig.loader.wait(for: number)[number - 1]
            #expect(load.fetch.entityTag == "\"\(number - 2)\"")
            load.answerNotModified(at: rig.time.wallSeconds)
        }
        #expect(try second.wait { $0 != nil }?.entity.memory == [1])
        #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds)?.memory == [1])
    }

    @Test func `downloads in progress at a gap need validation, and are not shared by later requests`() throws {
        let first = rig.ask("photo.png", "w=10")
        let old = try rig.loader.wait(for: 1)[0]
        rig.pipeline.raiseFloor(to: place(40))
        let second = rig.ask("photo.png", "w=10")
        let new = try rig.loader.wait(for: 2)[1]
        // The flight from before the gap ends last, so that its original is the one that is stored.
        new.answer(rig.png(width: 2), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: 1)[0].make([2])
        #expect(try second.value().entity.memory == [2])
        old.answer(rig.png(width: 1), at: rig.time.wallSeconds, cacheControl: "max-age=600", entityTag: "\"v1\"")
        try rig.transformer.wait(for: 2)[1].make([1])
        #expect(try first.value().entity.memory == [1])
        #expect(rig.hit("photo.png", "w=10") == nil)
        #expect(try validate(load: 3, in: rig) == .revalidated)
        #expect(rig.hit("photo.png", "w=10") == [1])
    }

    @Test func `a gap forgets remembered failures`() throws {
        let first = rig.ask("gone.png", "w=10")
        try rig.loader.wait(for: 1)[0].refuse(404, at: rig.time.wallSeconds)
        #expect(try first.error() == .originStatus(404))
        rig.pipeline.raiseFloor(to: place(40))
        let second = rig.ask("gone.png", "w=10")
        try rig.loader.wait(for: 2)[1].refuse(404, at: rig.time.wallSeconds)
        #expect(try second.error() == .originStatus(404))
    }

    @Test func `the era survives a restart`() throws {
        try fill()
        rig.pipeline.raiseFloor(to: place(40))
        #expect(try validate(load: 2, in: rig) == .revalidated)
        try rig.fillMore()
        #expect(rig.pipeline.apply(Purge(.source("other")), at: place(41)))
        try rig.settle()
        let again = try rig.restarted()
        #expect(again.progress.place == place(41) && again.progress.era == rig.progress.era)
        again.progress.stayInTouch(until: .max)
        for path in ["photo.png", "more.png"] {
            #expect(try again.ask(path, "w=10").value().status == .hit(.disk))
        }
        again.pipeline.raiseFloor(to: place(50))
        #expect(again.hit("photo.png", "w=10") == nil)
        try again.settle()
        let third = try again.restarted()
        third.progress.stayInTouch(until: .max)
        #expect(third.progress.place == place(50))
        #expect(try validate(load: 1, in: third) == .revalidated)
        #expect(try third.ask("photo.png", "w=10").value().status == .hit(.memory))
    }

    @Test func `outside of a cluster, what nodes of one have stored is used`() throws {
        try fill()
        rig.pipeline.raiseFloor(to: place(40))
        try rig.settle()
        let alone = try rig.restarted(tiers: TierPolicy())
        #expect(try alone.ask("photo.png", "w=10").value().status == .hit(.disk))
    }
}

extension PipelineRig {
    /// Stores a second variant of another original.
    fileprivate func fillMore() throws {
        let (loads, jobs) = (loader.all.count, transformer.all.count)
        let pending = ask("more.png", "w=10")
        try loader.wait(for: loads + 1)[loads].answer(png(), at: time.wallSeconds, cacheControl: "max-age=600")
        try transformer.wait(for: jobs + 1)[jobs].make([3])
        _ = try pending.value()
        try settle()
    }
}
