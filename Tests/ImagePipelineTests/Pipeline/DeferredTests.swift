import CacheTestSupport
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Deferred AVIF: requests in the AVIF bucket receive WebP first and AVIF later.
@Suite(.timeLimit(.minutes(1)))
struct DeferredTests {
    private static let large = "1?w=3000"
    /// The beginning of a JPEG of 4000 × 4000 pixels up to its frame header (ITU-T T.81 §B.2.2), and content that is no more read here.
    private static let jpeg: [UInt8] =
        [
            0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0x0F, 0xA0, 0x0F, 0xA0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xDA,
        ] + [UInt8](repeating: 0, count: 500)
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private func request(
        _ path: String = "a.png",
        _ plan: String = large,
        rule: (inout SourceRule) -> Void = { _ in }
    ) -> VariantRequest {
        let origin = rig.request(path, plan) { source in
            // Jobs have no other outputs.
            source.keepsMezzanines = false
            rule(&source)
        }
        return VariantRequest(origin: origin.origin, plan: plan, bucket: .avif)
    }

    private func ask(_ request: VariantRequest, of rig: PipelineRig? = nil) -> PendingAnswer {
        let pending = PendingAnswer()
        pending.subscription.withLock { subscription in
            subscription = (rig ?? self.rig).pipeline.load(request) { result in
                pending.outcome.update { $0 = result }
            }
        }
        return pending
    }

    private func cached(_ request: VariantRequest) -> Entity? {
        rig.pipeline.cached(request, now: rig.time.wallSeconds)
    }

    /// Requests a variant and serves its original; returns the job for the workers.
    private func job(_ request: VariantRequest, width: Int = 4000) throws -> (PendingAnswer, ScriptedTransformer.Job) {
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let answer = ask(request)
        try rig.loader.wait(for: loads + 1)[loads].answer(rig.png(width: width, height: width), at: 1000)
        return (answer, try rig.transformer.wait(for: jobs + 1)[jobs])
    }

    /// Makes a WebP stand-in; returns the job of its AVIF.
    private func standIn(
        _ request: VariantRequest,
        _ webp: [UInt8] = [1, 2, 3],
        width: Int = 4000
    ) throws -> ScriptedTransformer.Job {
        let (answer, job) = try job(request, width: width)
        let count = rig.transformer.all.count
        job.make([webp], as: .webp)
        #expect(try answer.value().entity.isStandIn)
        return try rig.transformer.wait(for: count + 1)[count]
    }

    private func waitForEnd(_ end: DeferredStatistics.End, _ count: UInt64 = 1) throws {
        try waitWhile(rig.pipeline.deferrals[end] < count)
    }

    @Test func `an AVIF within the budget is made during the request`() throws {
        let (answer, job) = try job(request("a.png", "1?w=20"), width: 40)
        #expect(job.job.outputs.map(\.bucket) == [.avif])
        job.make([[9]], as: .avif)
        let entity = try answer.value().entity
        #expect(!entity.isStandIn && entity.description.mediaType == "image/avif")
        #expect(rig.pipeline.deferrals.made == 0)
    }

    @Test func `a drawing of a client that also accepts JPEG XL is WebP first, then AVIF`() throws {
        let origin = request().origin
        let request = VariantRequest(origin: origin, plan: Self.large, bucket: .avifJXL)
        let job = try standIn(request)
        #expect(job.job.outputs.map(\.bucket) == [.avifJXL])
        job.make([[7]], as: .avif)
        try waitForEnd(.swapped)
        #expect(cached(request)?.memory == [7])
    }

    @Test func `a photograph of a client that accepts JPEG XL is never deferred`() throws {
        let origin = request("a.jpg").origin
        for bucket in [FormatBucket.jxl, .avifJXL] {
            let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
            let answer = ask(VariantRequest(origin: origin, plan: Self.large, bucket: bucket))
            if loads == 0 {
                try rig.loader.wait(for: 1)[0].answer(Self.jpeg, at: 1000)
            }
            let job = try rig.transformer.wait(for: jobs + 1)[jobs]
            #expect(job.job.outputs.map(\.bucket) == [bucket])
            job.make([[1, 2, 3]], as: .picture(.jxl))
            #expect(try !answer.value().entity.isStandIn)
        }
        #expect(rig.pipeline.deferrals.made == 0)
    }

    @Test(arguments: [
        ("1?w=3000&effort=9", SourceRule.AutoFormatPolicy.accept, FormatBucket.webp),
        ("1?w=20&effort=9", .accept, .jxl),
        // All formats are tried, of which a lossless JPEG XL is one.
        ("1?w=20&lossless=1", .smallest, .jxl), ("1?w=20&lossless=1", .accept, .webp),
    ])
    func `a JPEG XL that takes too long, or is not wanted, is WebP`(
        plan: String,
        policy: SourceRule.AutoFormatPolicy,
        bucket: FormatBucket
    ) throws {
        let origin = request("a.jpg", plan) { $0.autoFormat = policy }.origin
        let answer = ask(VariantRequest(origin: origin, plan: plan, bucket: .jxl))
        try rig.loader.wait(for: 1)[0].answer(Self.jpeg, at: 1000)
        let job = try rig.transformer.wait(for: 1)[0]
        #expect(job.job.outputs.first?.bucket == bucket)
        answer.leave()
    }

    @Test func `a vector image without a resize is deferred, because only its decoder knows its size`() throws {
        let svg = Array("<svg xmlns='http://www.w3.org/2000/svg' width='9000' height='9000'/>".utf8)
        for (path, plan, bucket) in [("a.svg", "1?flip=h", FormatBucket.webp), ("b.svg", "1?w=20", .avif)] {
            let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
            let answer = ask(request(path, plan))
            try rig.loader.wait(for: loads + 1)[loads].answer(svg, at: 1000)
            let job = try rig.transformer.wait(for: jobs + 1)[jobs]
            #expect(job.job.outputs.map(\.bucket) == [bucket])
            answer.leave()
        }
    }

    @Test func `an AVIF over the budget is WebP first, then AVIF in memory and on disk`() throws {
        let request = request()
        let (answer, first) = try job(request)
        #expect(first.job.outputs.map(\.bucket) == [.webp] && first.job.priority == .normal)
        first.make([[1, 2, 3]], as: .webp)
        let webp = try answer.value().entity
        #expect(webp.isStandIn && webp.description.standIn?.lifetime == 30 && webp.description.lastModified == nil)
        let second = try rig.transformer.wait(for: 2)[1]
        #expect(second.job.outputs.map(\.bucket) == [.avif] && second.job.priority == .background)
        #expect(cached(request) === webp)
        second.make([[7, 8]], as: .avif)
        try waitForEnd(.swapped)
        let avif = try #require(cached(request))
        #expect(avif.memory == [7, 8] && !avif.isStandIn && avif.description.mediaType == "image/avif")
        #expect(avif.description.digest != webp.description.digest)
        try rig.settle()
        let again = try rig.restarted()
        let stored = try ask(request, of: again).value()
        #expect(stored.status == .hit(.disk) && stored.entity.memory == [7, 8] && !stored.entity.isStandIn)
        #expect(again.transformer.all.isEmpty && rig.loader.all.count == 1)
    }

    @Test func `many requests meanwhile receive the WebP, and one AVIF is made`() throws {
        let request = request()
        let job = try standIn(request)
        for _ in 0..<20 {
            #expect(try ask(request).value().entity.isStandIn)
            rig.pipeline.replaceStandIn(of: request)
        }
        #expect(rig.transformer.all.count == 2 && rig.pipeline.deferredWaiting == 0)
        job.make([[7]], as: .avif)
        try waitForEnd(.swapped)
    }

    @Test func `an AVIF that is not smaller makes the WebP permanent`() throws {
        let request = request()
        try standIn(request).make([[7, 8, 9]], as: .avif)
        try waitForEnd(.larger)
        let webp = try #require(cached(request))
        #expect(webp.memory == [1, 2, 3] && !webp.isStandIn)
        rig.pipeline.replaceStandIn(of: request)
        try rig.settle()
        let again = try rig.restarted()
        #expect(try !ask(request, of: again).value().entity.isStandIn)
        #expect(again.transformer.all.isEmpty)
    }

    @Test(arguments: [PipelineError.crashedDecoder, .transformTimeout, .broken("no")])
    func `an AVIF that cannot be made makes the WebP permanent`(error: PipelineError) throws {
        let request = request()
        try standIn(request).fail(error)
        try waitForEnd(.failed)
        #expect(try #require(cached(request)).isStandIn == false)
        #expect(rig.pipeline.failures.statistics.entries == 0)
    }

    @Test func `a worker without the encoder makes the WebP permanent`() throws {
        let request = request()
        try standIn(request).make([[5]], as: .webp)
        try waitForEnd(.failed)
        #expect(try #require(cached(request)).memory == [1, 2, 3])
    }

    @Test func `after a lost worker, a request tries again a minute later`() throws {
        let request = request()
        try standIn(request).fail(.workerLost)
        try waitForEnd(.abandoned)
        for _ in 0..<5 { #expect(try ask(request).value().entity.isStandIn) }
        #expect(rig.transformer.all.count == 2)
        rig.time.advance(seconds: 61)
        #expect(try ask(request).value().entity.isStandIn)
        try rig.transformer.wait(for: 3)[2].make([[7]], as: .avif)
        try waitForEnd(.swapped)
        #expect(try #require(cached(request)).memory == [7])
    }

    @Test func `purged content does not reappear as AVIF`() throws {
        let request = request()
        let job = try standIn(request)
        let purged = Signal(false)
        #expect(rig.pipeline.purge(.all) { _ in purged.update { $0 = true } })
        try purged.wait { $0 }
        job.make([[7]], as: .avif)
        try waitForEnd(.abandoned)
        try rig.settle()
        #expect(cached(request) == nil && rig.store.variant(request.key) == nil)
    }

    @Test func `the AVIF of a changed original is discarded`() throws {
        let request = request()
        let old = try standIn(request)
        rig.time.advance(seconds: 4000)
        let answer = ask(request)
        try rig.loader.wait(for: 2)[1].answer(rig.png(width: 5000, height: 5000), at: 5000)
        let new = try rig.transformer.wait(for: 3)[2]
        #expect(new.job.outputs.map(\.bucket) == [.webp])
        old.make([[7]], as: .avif)
        try waitForEnd(.abandoned)
        new.make([[4, 5, 6]], as: .webp)
        #expect(try answer.value().entity.memory == [4, 5, 6])
        #expect(try #require(cached(request)).isStandIn)
        // The job was abandoned a moment ago.
        rig.time.advance(seconds: 61)
        rig.pipeline.replaceStandIn(of: request)
        try rig.transformer.wait(for: 4)[3].make([[8]], as: .avif)
        try waitForEnd(.swapped)
        #expect(try #require(cached(request)).memory == [8])
        try rig.settle()
        #expect(rig.store.variant(request.key)?.record.format == .avif)
    }

    @Test func `one AVIF is made at a time, a limited number wait, and later requests queue the rest`() throws {
        rig.pipeline.setDeferredLimit(1)
        let requests = (0..<3).map { request("\($0).png") }
        let running = try standIn(requests[0])
        for request in requests.dropFirst() {
            let (answer, job) = try job(request)
            job.make([[1, 2, 3]], as: .webp)
            #expect(try answer.value().entity.isStandIn)
        }
        #expect(rig.pipeline.deferredWaiting == 1 && rig.pipeline.deferrals[.dropped] == 1)
        #expect(rig.transformer.all.count == 4)
        running.make([[7]], as: .avif)
        try rig.transformer.wait(for: 5)[4].make([[8]], as: .avif)
        try waitForEnd(.swapped, 2)
        #expect(try #require(cached(requests[2])).isStandIn)
        rig.pipeline.replaceStandIn(of: requests[2])
        try rig.transformer.wait(for: 6)[5].make([[9]], as: .avif)
        try waitForEnd(.swapped, 3)
        #expect(requests.map { cached($0)?.memory } == [[7], [8], [9]])
    }

    @Test func `a stand-in from before a restart is replaced after the next request`() throws {
        let request = request()
        _ = try standIn(request)
        try rig.settle()
        let again = try rig.restarted()
        let stored = try ask(request, of: again).value()
        #expect(stored.status == .hit(.disk) && stored.entity.isStandIn && stored.entity.memory == [1, 2, 3])
        try again.transformer.wait(for: 1)[0].make([[7]], as: .avif)
        try waitWhile(again.pipeline.deferrals[.swapped] == 0)
        #expect(again.pipeline.cached(request, now: 1000)?.memory == [7])
        #expect(again.loader.all.isEmpty)
    }

    @Test func `a variant outside memory is replaced on disk and among open files`() throws {
        let request = request { $0.cache = CachePolicy(variants: .disk, originals: .disk) }
        let job = try standIn(request)
        try rig.settle()
        #expect(try ask(request).value().entity.isStandIn)
        #expect(rig.pipeline.open(request, now: 1000)?.isStandIn == true)
        job.make([[7]], as: .avif)
        try waitForEnd(.swapped)
        try rig.settle()
        #expect(rig.pipeline.open(request, now: 1000) == nil)
        let answer = try ask(request).value()
        #expect(answer.status == .hit(.disk) && !answer.entity.isStandIn)
    }

    @Test(arguments: [
        ("1?lossless=1", false), ("1?w=3000&near_lossless=40", false), ("1?w=3000&effort=9", true), ("1?w=3000", true),
        ("1?w=600", nil), ("1?w=600&max_bytes=999", true),
    ])
    func `lossless variants stay WebP, and quality searches cost more`(
        plan: String,
        isDeferred: Bool?
    ) throws {
        let (answer, job) = try job(request("a.png", plan), width: 1000)
        #expect(job.job.outputs.map(\.bucket) == [isDeferred == nil ? .avif : .webp])
        job.make([[1, 2, 3]], as: isDeferred == nil ? .avif : .webp)
        #expect(try answer.value().entity.isStandIn == isDeferred ?? false)
    }

    @Test func `nothing is deferred if the original or the result is not stored`() throws {
        for cache in [CachePolicy(variants: .all, originals: .none), CachePolicy(variants: .none, originals: .all)] {
            let (answer, job) = try job(request("\(cache.variants).png") { $0.cache = cache })
            #expect(job.job.outputs.map(\.bucket) == [.webp])
            job.make([[1, 2, 3]], as: .webp)
            #expect(try !answer.value().entity.isStandIn)
        }
        #expect(rig.pipeline.deferrals.made == 0)
    }

    @Test func `a budget of minutes makes every AVIF during the request`() throws {
        let (_, job) = try job(request { $0.avif.budget = 600_000 })
        #expect(job.job.outputs.map(\.bucket) == [.avif])
    }

    @Test func `a 304 keeps a stand-in a stand-in`() throws {
        let request = request()
        _ = try standIn(request)
        rig.time.advance(seconds: 4000)
        let answer = ask(request)
        try rig.loader.wait(for: 2)[1].answerNotModified(at: 5000)
        let entity = try answer.value().entity
        #expect(entity.isStandIn && entity.description.lastModified == nil && entity.memory == [1, 2, 3])
    }

    @Test func `files record stand-ins`() throws {
        let origin = CacheFixture.origin(1, body: [1])
        var record = CacheFixture.variant(1, of: origin, bytes: [2])
        #expect(VariantRecord(encoded: record.encoded[...]) == record)
        record.isStandIn = true
        #expect(VariantRecord(encoded: record.encoded[...]) == record)
    }
}
