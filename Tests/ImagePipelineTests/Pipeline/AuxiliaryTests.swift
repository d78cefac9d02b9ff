import HTTPSemantics
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Variants of several originals.
@Suite(.timeLimit(.minutes(1)))
struct AuxiliaryTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private static let logo = "logos/a.png"

    private func request(
        _ path: String,
        _ plan: String,
        of rig: PipelineRig,
        logo rule: (inout SourceRule) -> Void = { _ in }
    ) -> VariantRequest {
        let picture = rig.request(path, plan)
        var source = SourceRule(name: "logos", location: .http(prefix: "http://logos.test/"))
        rule(&source)
        let url = "http://logos.test/a.png"
        let origin = OriginRequest(source: source, at: url)
        return VariantRequest(
            origin: picture.origin,
            plan: plan,
            bucket: nil,
            auxiliaries: [Auxiliary(name: Self.logo, parameter: "watermark", origin: origin)]
        )
    }

    private func ask(
        _ path: String,
        _ plan: String = "w=10",
        of rig: PipelineRig? = nil,
        logo rule: (inout SourceRule) -> Void = { _ in }
    ) -> PendingAnswer {
        let rig = rig ?? self.rig
        let pending = PendingAnswer()
        let request = request(path, plan, of: rig, logo: rule)
        pending.subscription.withLock { subscription in
            subscription = rig.pipeline.load(request) { result in
                pending.outcome.update { $0 = result }
            }
        }
        return pending
    }

    /// Makes a variant of `a.png` with the logo and waits until it is on disk.
    @discardableResult
    private func fill(
        _ bytes: [UInt8] = [1],
        picture: String? = "max-age=100",
        logo: String? = "max-age=100",
        tags: String? = nil
    ) throws -> Entity {
        let pending = ask("a.png")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000, cacheControl: picture, entityTag: "\"p1\"")
        try rig.loader.wait(for: 2)[1].answer(
            rig.png(width: 7),
            at: 1000,
            cacheControl: logo,
            entityTag: "\"l1\"",
            tags: tags
        )
        try rig.transformer.wait(for: 1)[0].make(bytes)
        let entity = try pending.value().entity
        try rig.settle()
        return entity
    }

    private func isCached(_ rig: PipelineRig, at now: Int64? = nil) -> Bool {
        let request = request("a.png", "w=10", of: rig)
        return rig.pipeline.cached(request, now: now ?? rig.time.wallSeconds) != nil
    }

    private func purge(_ selection: PurgeSelection, softly: Bool = false) throws -> PurgeCounts {
        let done = Signal<PurgeCounts?>(nil)
        #expect(rig.pipeline.purge(selection, isSoft: softly) { counts in done.update { $0 = counts } })
        return try #require(try done.wait { $0 != nil })
    }

    /// Fails the transform of `a.png`, and checks that it is not retried.
    private func fail() throws {
        let first = ask("a.png")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000, cacheControl: "max-age=9000")
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 7), at: 1000, cacheControl: "max-age=10")
        try rig.transformer.wait(for: 1)[0].fail(.broken("the mark"))
        #expect(try first.error() == .broken("the mark"))
        guard case .remembered = try ask("a.png").error() else {
            Issue.record("the failure is not cached")
            return
        }
    }

    @Test func `a purge of the auxiliary image ends a failure that it may have caused`() throws {
        try fail()
        _ = try purge(.originals([request("a.png", "w=10", of: rig).auxiliaries[0].origin.key]))
        let again = ask("a.png")
        try rig.loader.wait(for: 3)[2].answer(rig.png(width: 7), at: 1000)
        try rig.transformer.wait(for: 2)[1].make([3])
        #expect(try again.value().entity.memory == [3])
    }

    @Test func `another body of the auxiliary image ends a failure that it may have caused`() throws {
        try fail()
        rig.time.advance(seconds: 20)
        let other = ask("b.png")
        for load in try rig.loader.wait(for: 3)[2...] { load.answer(rig.png(), at: 1020, cacheControl: "max-age=9000") }
        try rig.loader.wait(for: 4)[3].answer(rig.png(width: 8), at: 1020, cacheControl: "max-age=9000")
        try rig.transformer.wait(for: 2)[1].make([2])
        _ = try other.value()
        let again = ask("a.png")
        try rig.transformer.wait(for: 3)[2].make([3])
        #expect(try again.value().entity.memory == [3])
        #expect(rig.loader.all.count == 4)
    }

    @Test func `a job gets every original, and each is fetched once for all variants`() throws {
        let first = ask("a.png")
        let second = ask("b.png")
        let pictures = try rig.loader.wait(for: 2)
        for load in pictures { load.answer(rig.png(), at: 1000) }
        let logo = try rig.loader.wait(for: 3)[2]
        #expect(logo.fetch.target.text == "http://logos.test/a.png")
        let body = rig.png(width: 7)
        logo.answer(body, at: 1000)
        let jobs = try rig.transformer.wait(for: 2)
        for job in jobs {
            let auxiliary = try #require(job.job.auxiliaries.first)
            let description = auxiliary.description
            #expect(job.job.auxiliaries.count == 1 && description.name == Self.logo && description.format == .png)
            #expect(description.length == body.count && auxiliary.source.read(count: body.count) == body)
            #expect(job.job.sources.count == 2)
            job.make([1])
        }
        #expect(try first.value().status == .miss)
        _ = try second.value()
        #expect(rig.loader.all.count == 3)
        // Another image later: the logo is stored.
        let third = ask("c.png")
        try rig.loader.wait(for: 4)[3].answer(rig.png(), at: 1000)
        try rig.transformer.wait(for: 3)[2].make([2])
        _ = try third.value()
        #expect(rig.loader.all.count == 4)
    }

    @Test func `the key contains auxiliary images, and is unchanged without them`() {
        let plain = rig.request("a.png", "w=10")
        let marked = request("a.png", "w=10", of: rig)
        let elsewhere = request("a.png", "w=10", of: rig) { $0.location = .http(prefix: "http://other.test/") }
        #expect(Set([plain.key, marked.key, elsewhere.key]).count == 3)
        #expect(request("a.png", "w=10", of: rig) { $0.ttl = 9 }.key == marked.key)
    }

    @Test func `a failure names the parameter, and is cached for the auxiliary image`() throws {
        let first = ask("a.png")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.loader.wait(for: 2)[1].refuse(404, at: 1000)
        #expect(try first.error() == .auxiliary("watermark", .originStatus(404)))
        let again = try ask("a.png", "w=20").error()
        guard case .auxiliary("watermark", .remembered(.originStatus(404), _)) = again else {
            Issue.record("\(String(describing: again))")
            return
        }
        #expect(rig.loader.all.count == 2 && rig.transformer.all.isEmpty)
        #expect(rig.pipeline.variantsUnderWay == 0)
    }

    @Test func `an auxiliary image obeys the limits of its own source`() throws {
        let pending = ask("a.png") { $0.limits.pixels = 30 }
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 100), at: 1000)
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 7), at: 1000)
        guard case .auxiliary("watermark", .refused(let text, _)) = try pending.error() else {
            Issue.record("not refused")
            return
        }
        #expect(text.contains("limits.pixels"))
    }

    @Test(arguments: [false, true])
    func `a variant is as fresh as the least fresh of its originals`(restarted: Bool) throws {
        try fill(logo: "max-age=10")
        #expect(isCached(rig, at: 1009) && !isCached(rig, at: 1010))
        rig.time.advance(seconds: 10)
        let rig = restarted ? try self.rig.restarted() : self.rig
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let pending = ask("a.png", of: rig)
        let load = try rig.loader.wait(for: loads + 1)[loads]
        #expect(load.fetch.target.text == "http://logos.test/a.png" && load.fetch.entityTag == "\"l1\"")
        load.answerNotModified(at: rig.time.wallSeconds, cacheControl: "max-age=50")
        let answer = try pending.value()
        #expect(answer.entity.memory == [1])
        #expect(answer.status == .forwarded(.stale, status: 304, collapsed: false))
        // The image's own 100 seconds start at 1000.
        #expect(isCached(rig, at: 1059) && !isCached(rig, at: 1060))
        #expect(rig.loader.all.count == loads + 1 && rig.transformer.all.count == jobs)
    }

    @Test(arguments: [false, true])
    func `a changed auxiliary image causes new variants`(restarted: Bool) throws {
        try fill(logo: "max-age=10")
        rig.time.advance(seconds: 11)
        let rig = restarted ? try self.rig.restarted() : self.rig
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let pending = ask("a.png", of: rig)
        try rig.loader.wait(for: loads + 1)[loads].answer(rig.png(width: 8), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: jobs + 1)[jobs].make([2])
        #expect(try pending.value().entity.memory == [2])
        try rig.settle()
        let later = try rig.restarted()
        #expect(try ask("a.png", of: later).value().entity.memory == [2])
        #expect(later.loader.all.isEmpty)
    }

    @Test func `a change found by another image's request causes new variants`() throws {
        try fill(logo: "max-age=10")
        rig.time.advance(seconds: 11)
        let other = ask("b.png")
        try rig.loader.wait(for: 3)[2].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.loader.wait(for: 4)[3].answer(rig.png(width: 8), at: rig.time.wallSeconds, cacheControl: "max-age=90")
        try rig.transformer.wait(for: 2)[1].make([3])
        _ = try other.value()
        #expect(!isCached(rig))
        let again = ask("a.png")
        try rig.transformer.wait(for: 3)[2].make([4])
        #expect(try again.value().entity.memory == [4])
        #expect(rig.loader.all.count == 4)
    }

    @Test func `survives a restart without contacting the origins`() throws {
        try fill()
        let later = try rig.restarted()
        let answer = try ask("a.png", of: later).value()
        #expect(answer.status == .hit(.disk) && answer.entity.memory == [1])
        #expect(later.loader.all.isEmpty && later.transformer.all.isEmpty)
        #expect(isCached(later, at: 1099) && !isCached(later, at: 1100))
    }

    @Test(arguments: [
        PurgeSelection.source("logos"), .tags(["brand"]),
        .prefixes([.init(source: "logos", url: "http://logos.test/a")]),
    ])
    func `a purge of the auxiliary image removes its variants`(selection: PurgeSelection) throws {
        try fill(tags: "brand")
        let counts = try purge(selection)
        #expect(counts.originals == 1 && counts.variants == 1 && counts.memory == 1)
        #expect(!isCached(rig))
        let again = ask("a.png")
        let load = try rig.loader.wait(for: 3)[2]
        #expect(load.fetch.target.text == "http://logos.test/a.png" && load.fetch.entityTag == nil)
        load.answer(rig.png(width: 7), at: 1000)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try again.value().entity.memory == [2])
        // The image itself is unaffected.
        #expect(rig.loader.all.count == 3)
    }

    @Test func `a soft purge of the auxiliary image causes a validation and no transform`() throws {
        try fill()
        _ = try purge(.source("logos"), softly: true)
        #expect(!isCached(rig))
        let again = ask("a.png")
        let load = try rig.loader.wait(for: 3)[2]
        #expect(load.fetch.entityTag == "\"l1\"")
        load.answerNotModified(at: 1000)
        #expect(try again.value().entity.memory == [1])
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `a purge during the transform delivers the result only to its waiters`() throws {
        let pending = ask("a.png")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 7), at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(try purge(.source("logos")).flights == 1)
        job.make([1])
        #expect(try pending.value().entity.memory == [1])
        #expect(!isCached(rig))
    }

    @Test func `an auxiliary image with no-store is stored in no variant`() throws {
        try fill(logo: "no-store")
        #expect(!isCached(rig))
        let answer = ask("a.png")
        try rig.loader.wait(for: 3)[2].answer(rig.png(width: 7), at: 1000, cacheControl: "private, max-age=60")
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try answer.value().entity.description.cacheControl == "max-age=60, private")
        let none = request("a.png", "w=10", of: rig) { $0.cache = CachePolicy(.none) }
        #expect(none.tiers == CacheTiers.none)
    }

    @Test(
        arguments: [
            ("public, max-age=100", "public, max-age=10, s-maxage=5", "public, max-age=10, s-maxage=5"),
            ("max-age=20, immutable", nil, "max-age=20"), (nil, "public, max-age=3", "public, max-age=3"),
            ("max-age=20", "max-age=30, must-revalidate, stale-if-error=9", "must-revalidate, max-age=20"),
            ("public, max-age=20, no-transform", "no-cache", "no-transform, max-age=0, no-cache"), (nil, nil, nil),
        ] as [(String?, String?, String?)]
    )
    func `sends clients the strictest directives of all originals`(picture: String?, logo: String?, expected: String?)
        throws
    {
        let entity = try fill(picture: picture, logo: logo)
        #expect(entity.description.cacheControl == expected)
        #expect(entity.description.lastModified == nil)
    }

    @Test func `the age is that of the oldest original`() throws {
        try fill()
        rig.time.advance(seconds: 40)
        let other = ask("b.png")
        try rig.loader.wait(for: 3)[2].answer(rig.png(), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 2)[1].make([2])
        #expect(try other.value().entity.age(at: rig.time.wallSeconds) == 40)
    }

    @Test func `a client that leaves cancels the auxiliary image's download, and others' continue`() throws {
        let first = ask("a.png")
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: 1000)
        let load = try rig.loader.wait(for: 2)[1]
        first.leave()
        try load.waitForCancel()
        #expect(rig.transformer.all.isEmpty)
    }

    @Test func `the folder is consistent with rows of auxiliary images, which are removed with the last variant`()
        throws
    {
        try fill()
        var damage: [DiskDamage] = []
        rig.store.close()
        let check = DiskCheck(
            path: rig.folder.path + "/cache",
            listener: .init(found: { found, _ in damage.append(found) })
        )
        _ = try check.run(repairs: false)
        #expect(damage.isEmpty)
        let later = try rig.restarted()
        let logo = request("a.png", "w=10", of: later).auxiliaries[0].origin.key
        #expect(later.store.origin(logo) != nil)
    }
}
