import CacheTestSupport
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// What is served under overload, when the queue refuses a transform or a download.
@Suite(.timeLimit(.minutes(1)))
struct BrownoutTests {
    let rig: PipelineRig
    private static let full = PipelineError.overloaded("full")

    /// Serves no original in place of a variant.
    private static let withoutOriginals: @Sendable (inout SourceRule) -> Void = { $0.brownout.largestOriginal = 0 }

    init() throws { rig = try PipelineRig() }

    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    private func request(_ query: String, _ rule: (inout SourceRule) -> Void = { _ in }) throws -> VariantRequest {
        try rig.request("a.png", canonical(query)) { source in
            source.brownout.isOn = true
            rule(&source)
        }
    }

    /// Sends a request that accepts something else under overload.
    private func ask(
        _ query: String,
        on rig: PipelineRig? = nil,
        _ rule: (inout SourceRule) -> Void = { _ in }
    ) throws -> PendingAnswer {
        let pending = PendingAnswer()
        var context = LoadContext()
        context.takesBrownout = true
        let request = try request(query, rule)
        pending.subscription.withLock { subscription in
            subscription = (rig ?? self.rig).pipeline.load(request, context) { result in
                pending.outcome.update { $0 = result }
            }
        }
        return pending
    }

    /// Makes and stores a variant, with the original if it is the first one.
    private func fill(
        _ query: String,
        with bytes: [UInt8],
        of original: [UInt8]? = nil,
        _ cacheControl: String? = "max-age=600"
    ) throws {
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let pending = try ask(query)
        if loads == 0 {
            try rig.loader.wait(for: 1)[0].answer(
                original ?? rig.png(),
                at: rig.time.wallSeconds,
                cacheControl: cacheControl
            )
        }
        try rig.transformer.wait(for: jobs + 1)[jobs].make(bytes)
        #expect(try pending.value().rung == nil)
        try rig.settle()
    }

    /// Refuses the next transform, and returns the answer.
    private func refused(_ query: String, _ rule: (inout SourceRule) -> Void = { _ in }) throws -> PendingAnswer {
        let jobs = rig.transformer.all.count
        let pending = try ask(query, rule)
        try rig.transformer.wait(for: jobs + 1)[jobs].fail(Self.full)
        return pending
    }

    // MARK: Stale

    @Test(arguments: [false, true])
    func `a stale variant is served if its validation finds no room`(isOnDisk: Bool) throws {
        try fill("w=10", with: [1], "max-age=60")
        rig.time.advance(seconds: 61)
        let rig = isOnDisk ? try self.rig.restarted() : self.rig
        let pending = try ask("w=10", on: rig)
        let number = isOnDisk ? 1 : 2
        try rig.loader.wait(for: number)[number - 1].fail(Self.full)
        let answer = try pending.value()
        #expect(answer.rung == .stale && answer.status == .hit(.stale))
        #expect(answer.entity.description.length == 1)
    }

    @Test func `the last variant of the previous original is served if there is no room to make the current one`()
        throws
    {
        try fill("w=10", with: [1], "max-age=60")
        rig.time.advance(seconds: 61)
        let pending = try ask("w=10")
        try rig.loader.wait(for: 2)[1].answer(
            rig.png(width: 1600),
            at: rig.time.wallSeconds,
            cacheControl: "max-age=60"
        )
        try rig.transformer.wait(for: 2)[1].fail(Self.full)
        let answer = try pending.value()
        #expect(answer.rung == .stale && answer.entity.memory == [1])
        // A purge is final: nothing that was made before it is served.
        let later = try ask("w=10")
        let job = try rig.transformer.wait(for: 3)[2]
        #expect(rig.pipeline.purge(.originals([try request("w=10").origin.key])) { _ in })
        job.fail(Self.full)
        #expect(try later.error()?.isOverload == true)
    }

    @Test(arguments: ["must-revalidate", "proxy-revalidate", "no-cache", "s-maxage=60", "stale-if-error=0"])
    func `a variant is not served stale if its origin forbids that`(directive: String) throws {
        for isRefused in [true, false] {
            let rig = try BrownoutTests()
            try rig.fill("w=10", with: [1], "max-age=60, \(directive)")
            rig.rig.time.advance(seconds: 61)
            let pending = try rig.ask("w=10", Self.withoutOriginals)
            let load = try rig.rig.loader.wait(for: 2)[1]
            if isRefused {
                load.fail(Self.full)
            } else {
                load.answer(rig.rig.png(width: 1600), at: rig.rig.time.wallSeconds, cacheControl: "max-age=60")
                try rig.rig.transformer.wait(for: 2)[1].fail(Self.full)
            }
            #expect(try pending.error() == Self.full, "\(directive)")
        }
    }

    @Test func `a variant is not served stale after stale-if-error of its source`() throws {
        try fill("w=10", with: [1], "max-age=60")
        rig.time.advance(seconds: 60 + 3_600)
        let pending = try ask("w=10")
        try rig.loader.wait(for: 2)[1].fail(Self.full)
        #expect(try pending.error() == Self.full)
    }

    // MARK: Larger

    @Test(arguments: [false, true])
    func `the nearest larger variant of the same plan is served, from memory or disk`(isOnDisk: Bool) throws {
        for (width, byte) in [(800, 8), (400, 4), (200, 2)] { try fill("w=\(width)", with: [UInt8(byte)]) }
        let key = try request("w=300").origin.key
        #expect(
            rig.store.labels(ofVariantsOf: key, limit: 9)
                == (try ["w=200", "w=400", "w=800"].map { try canonical($0) })
        )
        #expect(rig.store.labels(ofVariantsOf: key, limit: 2).count == 2)
        let rig = isOnDisk ? try self.rig.restarted() : self.rig
        let jobs = rig.transformer.all.count
        let pending = try ask("w=300", on: rig)
        try rig.transformer.wait(for: jobs + 1)[jobs].fail(Self.full)
        let answer = try pending.value()
        #expect(answer.rung == .larger && answer.status == .hit(.original))
        let expected = try rig.pipeline.stored(request("w=400"))
        #expect(answer.entity.description.digest == expected?.entity.description.digest)
        // Nothing is stored under the key of the request.
        try rig.settle()
        #expect(rig.pipeline.copies(of: try request("w=300")).isEmpty)
    }

    @Test func `variants in memory alone are found`() throws {
        let onlyMemory: (inout SourceRule) -> Void = { $0.cache = CachePolicy(.memory) }
        let first = try ask("w=400", onlyMemory)
        try rig.loader.wait(for: 1)[0].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: 1)[0].make([4])
        _ = try first.value()
        let pending = try ask("w=300", onlyMemory)
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: 2)[1].fail(Self.full)
        let answer = try pending.value()
        #expect(answer.rung == .larger && answer.entity.memory == [4])
    }

    @Test func `no smaller variant, none of another plan, bucket or quality, and none of another site is served`()
        throws
    {
        try fill("w=400", with: [4])
        try fill("w=900&blur=2", with: [9])
        try fill("w=900&h=600&fit=cover&gravity=north", with: [9])
        for query in ["w=500", "w=300&blur=2", "w=300&format=webp", "w=300&q=50", "w=300&h=100&fit=cover"] {
            #expect(try refused(query, Self.withoutOriginals).error()?.isOverload == true, "\(query)")
        }
        let lower = try refused("w=300") { source in
            Self.withoutOriginals(&source)
            source.quality.jpeg = 50
        }
        #expect(try lower.error()?.isOverload == true)
        let jobs = rig.transformer.all.count
        let other = try ask("w=300") { source in
            Self.withoutOriginals(&source)
            source.name = "shop/photos"
        }
        try rig.loader.wait(for: 2)[1].answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
        try rig.transformer.wait(for: jobs + 1)[jobs].fail(Self.full)
        #expect(try other.error()?.isOverload == true)
        // The same request of the first site is answered.
        #expect(try refused("w=300").value().rung == .larger)
    }

    @Test func `a purged variant is not served in place of another`() throws {
        try fill("w=400", with: [4])
        let pending = try ask("w=300")
        let job = try rig.transformer.wait(for: 2)[1]
        let isOver = Signal(false)
        #expect(rig.pipeline.purge(.originals([try request("w=300").origin.key])) { _ in isOver.update { $0 = true } })
        job.fail(Self.full)
        #expect(try pending.error()?.isOverload == true)
        try isOver.wait { $0 }
    }

    // MARK: Fast

    /// Stores a mezzanine and the variant of 400 px.
    private func fillLarge() throws {
        let pending = try ask("w=400")
        try rig.loader.wait(for: 1)[0].answer(
            rig.png(width: 2000, height: 2000),
            at: rig.time.wallSeconds,
            cacheControl: "max-age=600"
        )
        try rig.transformer.wait(for: 1)[0].makeAll([[1], [7, 7]])
        _ = try pending.value()
    }

    @Test func `the variant is made of a mezzanine with the least effort, and not stored`() throws {
        try fillLarge()
        for _ in 0..<2 {
            let count = rig.transformer.all.count
            let pending = try refused("w=500&blur=2")
            let job = try rig.transformer.wait(for: count + 2)[count + 1]
            #expect(job.job.outputs.map(\.plan) == [try canonical("w=500&blur=2&effort=1")])
            #expect(job.job.reduction?.factor == 2 && job.job.sourceLength == 2)
            job.make([5])
            let answer = try pending.value()
            #expect(answer.rung == .fast && answer.entity.memory == [5] && answer.status == .hit(.original))
            try rig.settle()
            #expect(rig.pipeline.copies(of: try request("w=500&blur=2")).isEmpty)
        }
    }

    @Test func `a refused fast job ends the ladder, and clients that leave cancel one`() throws {
        try fillLarge()
        let pending = try refused("w=500&blur=2")
        try rig.transformer.wait(for: 3)[2].fail(Self.full)
        #expect(try pending.error() == Self.full)
        let leaving = try refused("w=500&blur=2")
        let job = try rig.transformer.wait(for: 5)[4]
        leaving.leave()
        try waitWhile(!job.isCancelled)
    }

    @Test func `a request that was dropped after a long wait is not queued again`() throws {
        try fillLarge()
        let pending = try ask("w=500&blur=2")
        let job = try rig.transformer.wait(for: 2)[1]
        rig.time.advance(seconds: 1)
        job.fail(Self.full)
        #expect(try pending.error() == Self.full)
        #expect(rig.transformer.all.count == 2)
    }

    // MARK: Original

    /// A PNG with a text chunk after its header.
    private static let tagged: [UInt8] = {
        let png = TestImages.gradient(width: 90, height: 60)
        let chunk = [0, 0, 0, 4] + Array("tEXtSelf".utf8) + [0, 0, 0, 0]
        return Array(png[..<33]) + chunk + Array(png[33...])
    }()

    @Test func `a small original is served without its metadata`() throws {
        try fill("w=10", with: [1], of: Self.tagged)
        let answer = try refused("w=30").value()
        #expect(answer.rung == .original && answer.entity.description.mediaType == "image/png")
        #expect(answer.entity.memory == TestImages.gradient(width: 90, height: 60))
        try rig.settle()
        #expect(rig.pipeline.copies(of: try request("w=30")).isEmpty)
        #expect(rig.pipeline.copies(of: rig.request("a.png", nil)).memory == nil)
    }

    @Test func `an original is not served if it is large, hidden, of another format, or shows something else`() throws {
        try fill("w=10", with: [1], of: Self.tagged)
        #expect(try refused("w=30") { $0.brownout.largestOriginal = 100 }.error()?.isOverload == true)
        #expect(try refused("w=31") { $0.originals = .clean }.error()?.isOverload == true)
        #expect(try refused("w=32") { $0.originals = .refuse }.error()?.isOverload == true)
        for query in [
            "w=30&format=webp", "w=30&h=30&fit=cover", "w=30&h=30&fit=pad", "w=30&bg=ffffff", "w=30&meta=keep",
        ] {
            #expect(try refused(query).error()?.isOverload == true, "\(query)")
        }
        #expect(try refused("w=33") { $0.formats[.png] = .read }.error()?.isOverload == true)
    }

    @Test(arguments: ["no-store", "private"])
    func `an original that a shared cache must not store is not served to anybody`(directive: String) throws {
        let pending = try ask("w=30")
        try rig.loader.wait(for: 1)[0].answer(Self.tagged, at: rig.time.wallSeconds, cacheControl: directive)
        try rig.transformer.wait(for: 1)[0].fail(Self.full)
        #expect(try pending.error() == Self.full)
    }

    // MARK: All steps

    @Test(arguments: [
        "crop=20x20", "round=4", "border=2,ff0000", "blur=2", "sharpen=1", "flip=h", "rotate=90", "pixelate=4",
        "brightness=1.1", "offset=9", "contrast=1.1", "saturation=0.5", "hue=90", "gamma=1.8", "filter=grayscale",
        "tint=ff8800",
        "pad=4", "trim=10", "mask=circle", "watermark=demo/mark,southeast",
    ])
    func `a plan with another step gets neither another image nor the original`(step: String) throws {
        try fill("w=50", with: [5], of: TestImages.gradient(width: 90, height: 60))
        for query in ["w=40&\(step)", "\(step)&w=40", step] {
            #expect(try refused(query).error() == Self.full, "\(query)")
            let rungs = try request(query).rungs
            #expect(!rungs.contains(.larger) && !rungs.contains(.original), "\(query)")
        }
        // Not even one of the same step.
        try fill("w=60&\(step)", with: [6])
        #expect(try refused("w=40&\(step)").error() == Self.full)
    }

    @Test func `the steps above are all but the resize`() throws {
        let names = Set(StepRegistry.types.flatMap { $0.names }).subtracting(ResizeStep.names)
        let tested = [
            "crop", "round", "border", "blur", "sharpen", "flip", "rotate", "pixelate", "brightness", "offset",
            "contrast",
            "saturation", "hue", "gamma", "filter", "tint", "pad", "trim", "mask", "watermark",
        ]
        #expect(names == Set(tested), "add the new step to the test above")
    }

    // MARK: Other requests

    @Test func `a hit is a hit, and a request that accepts nothing else fails`() throws {
        try fill("w=400", with: [4])
        let jobs = rig.transformer.all.count
        let hit = try ask("w=400").value()
        #expect(hit.rung == nil && hit.status == .hit(.memory) && rig.transformer.all.count == jobs)
        let plain = rig.ask("a.png", try canonical("w=300")) { $0.brownout.isOn = true }
        try rig.transformer.wait(for: jobs + 1)[jobs].fail(Self.full)
        #expect(try plain.error() == Self.full)
        #expect(try refused("w=300") { $0.brownout.isOn = false }.error() == Self.full)
    }

    @Test func `other failures than overload are not answered`() throws {
        try fill("w=400", with: [4])
        // A timeout is remembered for plans of its cost.
        for error in [PipelineError.workerLost, .noWorker, .broken("x"), .transformTimeout] {
            let jobs = rig.transformer.all.count
            let query = "w=\(300 - jobs)"
            let pending = try ask(query)
            let job = try rig.transformer.wait(for: jobs + 1)[jobs]
            job.fail(error)
            #expect(try pending.error() == error)
        }
    }

    @Test func `requests that share a flight share the answer`() throws {
        try fill("w=400", with: [4])
        let pending = try (0..<3).map { _ in try ask("w=300") }
        try rig.transformer.wait(for: 2)[1].fail(Self.full)
        for one in pending { #expect(try one.value().rung == .larger) }
        #expect(rig.transformer.all.count == 2)
    }

    @Test func `the next request makes the variant`() throws {
        try fill("w=400", with: [4])
        #expect(try refused("w=300").value().rung == .larger)
        let pending = try ask("w=300")
        try rig.transformer.wait(for: 3)[2].make([3])
        let answer = try pending.value()
        #expect(answer.rung == nil && answer.entity.memory == [3])
    }
}

/// The labels of variants that are remembered for answers under overload.
@Suite(.timeLimit(.minutes(1)))
struct VariantSizesTests {
    private func key(_ number: Int) -> CacheKey { CacheKey(hashing: "\(number)") }

    @Test func `labels and originals are bounded, and the oldest are evicted`() {
        let sizes = VariantSizes(originals: 3, perOriginal: 2)
        for label in ["a", "b", "a", "c"] { sizes.note(label, of: key(0)) }
        #expect(sizes.labels(of: key(0)) == ["c", "a"])
        for number in 1...4 { sizes.note("x", of: key(number)) }
        #expect((0...4).map { sizes.labels(of: key($0)).count } == [0, 0, 1, 1, 1])
        sizes.note("y", of: key(0))
        #expect((0...4).map { sizes.labels(of: key($0)).count } == [1, 0, 0, 1, 1])
    }
}
