import CacheTestSupport
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Popular variants are encoded again with more effort.
@Suite(.timeLimit(.minutes(1)))
struct RecompressionTests {
    let rig: PipelineRig

    init() throws { rig = try PipelineRig() }

    private func request(
        _ plan: String = "1?w=20&format=webp",
        _ path: String = "a.png",
        bucket: FormatBucket? = nil,
        rule: (inout SourceRule) -> Void = { _ in }
    ) -> VariantRequest {
        VariantRequest(origin: rig.request(path, plan, rule: rule).origin, plan: plan, bucket: bucket)
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

    /// Has a variant made and stored.
    private func make(_ request: VariantRequest, _ bytes: [UInt8] = [1, 2, 3], as format: ResultFormat = .webp) throws {
        let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
        let answer = ask(request)
        try rig.loader.wait(for: loads + 1)[loads].answer(rig.png(width: 40, height: 30), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: jobs + 1)[jobs].make([bytes], as: format)
        _ = try answer.value()
        try rig.settle()
    }

    /// Requests a variant in a number of different minutes, from memory.
    private func use(_ request: VariantRequest, minutes: Int, of rig: PipelineRig? = nil) throws {
        let rig = rig ?? self.rig
        for _ in 0..<minutes {
            for _ in 0..<5 { #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds) != nil) }
            rig.time.advance(seconds: 60)
        }
    }

    /// Waits until work on the read lane has been done, including what that has queued there.
    private func gather(_ rig: PipelineRig? = nil) throws {
        for _ in 0..<4 { try (rig ?? self.rig).drainLane() }
        try (rig ?? self.rig).settle()
    }

    private func waitForEnd(_ end: DeferredStatistics.End, _ count: UInt64 = 1, of rig: PipelineRig? = nil) throws {
        try waitWhile((rig ?? self.rig).pipeline.recompressions[end] < count)
    }

    @Test func `a variant requested in three minutes is encoded again and replaced in memory and on disk`() throws {
        let request = request()
        try make(request)
        let old = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
        try use(request, minutes: 3)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.map(\.plan) == ["1?w=20&format=webp"] && job.job.priority == .background)
        #expect(job.job.outputs.map(\.search.secondEffort) == [6])
        #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds) === old)
        job.make([[7, 8]], as: .webp)
        try waitForEnd(.swapped)
        let new = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
        #expect(new.memory == [7, 8] && new.description.digest != old.description.digest && !new.isStandIn)
        #expect(rig.pipeline.recompressions.savedBytes == 1 && rig.pipeline.deferrals.made == 0)
        try rig.settle()
        let stored = try #require(rig.store.variant(request.key)?.record)
        #expect(stored.isCompact && stored.plan == "1?w=20&format=webp")
        let again = try rig.restarted()
        #expect(try ask(request, of: again).value().entity.memory == [7, 8])
        try use(request, minutes: 6, of: again)
        try gather(again)
        #expect(again.transformer.all.isEmpty && again.pipeline.recompressions[.dropped] == 0)
    }

    @Test func `however often it is requested, two minutes are not enough`() throws {
        let request = request()
        try make(request)
        try use(request, minutes: 2)
        try gather()
        #expect(rig.transformer.all.count == 1)
    }

    @Test func `an encoding that is not smaller leaves the variant as it is, for good`() throws {
        let request = request()
        try make(request)
        try use(request, minutes: 3)
        try rig.transformer.wait(for: 2)[1].make([[7, 8, 9]], as: .webp)
        try waitForEnd(.larger)
        let kept = try #require(rig.pipeline.cached(request, now: rig.time.wallSeconds))
        #expect(kept.memory == [1, 2, 3] && rig.pipeline.recompressions.savedBytes == 0)
        try rig.settle()
        let again = try rig.restarted()
        #expect(try ask(request, of: again).value().entity.memory == [1, 2, 3])
        try use(request, minutes: 6, of: again)
        try gather(again)
        #expect(again.transformer.all.isEmpty)
    }

    @Test(arguments: [PipelineError.crashedDecoder, .broken("no")])
    func `an image that cannot be encoded again stays as it is`(error: PipelineError) throws {
        let request = request()
        try make(request)
        try use(request, minutes: 3)
        try rig.transformer.wait(for: 2)[1].fail(error)
        try waitForEnd(.failed)
        #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds)?.memory == [1, 2, 3])
        #expect(rig.pipeline.failures.statistics.entries == 0)
        try rig.settle()
        #expect(rig.store.variant(request.key)?.record.isCompact == true)
    }

    @Test(arguments: [PipelineError.workerLost, .transformTimeout])
    func `after a lost worker or a timeout, it is not tried again until the variant is loaded anew`(
        error: PipelineError
    ) throws {
        let request = request()
        try make(request)
        try use(request, minutes: 3)
        try rig.transformer.wait(for: 2)[1].fail(error)
        try waitForEnd(.abandoned)
        rig.time.advance(seconds: 61)
        try use(request, minutes: 5)
        try gather()
        #expect(rig.transformer.all.count == 2)
        let again = try rig.restarted()
        _ = try ask(request, of: again).value()
        try use(request, minutes: 3, of: again)
        try again.transformer.wait(for: 1)[0].make([[7]], as: .webp)
        try waitForEnd(.swapped, of: again)
    }

    @Test func `the smallest of several formats stays as it is`() throws {
        let request = request("1?w=20", bucket: .webp) { $0.autoFormat = .smallest }
        try make(request)
        try use(request, minutes: 4)
        try gather()
        #expect(rig.transformer.all.count == 1)
    }

    @Test(arguments: [
        ("1?w=20&format=png", ResultFormat.png, 1), ("1?w=20&format=webp&effort=2", .webp, 1),
        ("1?w=20&format=webp&max_bytes=900", .webp, 1), ("1?w=20&format=json", .json, 1),
        ("1?w=20&format=webp", .webp, 2),
    ])
    func `other formats, stated efforts and sizes, and animations keep their first encoding`(
        plan: String,
        format: ResultFormat,
        frames: Int
    ) throws {
        let request = request(plan)
        try make(request, as: format)
        if frames > 1 {
            var record = try #require(rig.store.variant(request.key)?.record)
            record.frames = frames
            #expect(request.recompression(of: record) == nil)
        } else {
            try use(request, minutes: 4)
            try gather()
            #expect(rig.transformer.all.count == 1)
        }
    }

    @Test func `a record with sides that no picture has is not encoded again`() throws {
        let request = request()
        try make(request)
        var record = try #require(rig.store.variant(request.key)?.record)
        #expect(request.recompression(of: record) == 6)
        record.width = .max
        record.height = .max
        #expect(request.recompression(of: record) == nil)
    }

    @Test func `0 minutes turn it off, and one minute is the first request`() throws {
        let off = request { $0.recompressAfter = 0 }
        try make(off)
        try use(off, minutes: 6)
        try gather()
        #expect(rig.transformer.all.count == 1)
        let eager = request("1?w=19&format=webp", "b.png") { $0.recompressAfter = 1 }
        try make(eager)
        try use(eager, minutes: 1)
        try rig.transformer.wait(for: 3)[2].make([[7]], as: .webp)
        try waitForEnd(.swapped)
    }

    @Test func `the origin is not asked for an original that is no longer stored`() throws {
        let request = request()
        try make(request)
        rig.store.dropBody(
            ofOrigin: request.origin.key,
            digest: try #require(rig.store.variant(request.key)).origin.digest
        )
        try rig.settle()
        try use(request, minutes: 3)
        try waitForEnd(.abandoned)
        #expect(rig.loader.all.count == 1 && rig.transformer.all.count == 1)
        #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds)?.memory == [1, 2, 3])
    }

    @Test func `purged content does not reappear`() throws {
        let request = request()
        try make(request)
        try use(request, minutes: 3)
        let job = try rig.transformer.wait(for: 2)[1]
        let purged = Signal(false)
        #expect(rig.pipeline.purge(.all) { _ in purged.update { $0 = true } })
        try purged.wait { $0 }
        job.make([[7]], as: .webp)
        try waitForEnd(.abandoned)
        try rig.settle()
        #expect(rig.pipeline.cached(request, now: rig.time.wallSeconds) == nil && rig.store.variant(request.key) == nil)
    }

    @Test func `a variant outside memory is replaced on disk and among open files`() throws {
        let request = request { $0.cache = CachePolicy(variants: .disk, originals: .disk) }
        try make(request)
        _ = try ask(request).value()
        for _ in 0..<3 {
            #expect(rig.pipeline.open(request, now: rig.time.wallSeconds) != nil)
            rig.time.advance(seconds: 60)
        }
        try rig.transformer.wait(for: 2)[1].make([[7]], as: .webp)
        try waitForEnd(.swapped)
        try rig.settle()
        #expect(rig.pipeline.open(request, now: rig.time.wallSeconds) == nil)
        #expect(rig.store.variant(request.key)?.record.length == 1)
    }

    @Test func `a WebP that an AVIF did not undercut is encoded again as WebP`() throws {
        let request = request("1?w=20", bucket: .avif)
        try make(request, as: .webp)
        try use(request, minutes: 3)
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.map(\.bucket) == [.webp] && job.job.outputs.map(\.search.secondEffort) == [6])
        job.make([[7]], as: .webp)
        try waitForEnd(.swapped)
    }

    @Test func `another request with the same result takes the smaller encoding`() throws {
        func output(_ length: Int) -> WorkerReply.Output {
            WorkerReply.Output(format: .webp, width: 40, height: 30, frames: 1, hasAlpha: false, length: length)
        }
        // Both boxes are larger than the original, which is not enlarged.
        let (first, second) = (request("1?w=50&format=webp"), request("1?w=60&format=webp"))
        let answer = ask(first)
        try rig.loader.wait(for: 1)[0].answer(rig.png(width: 40, height: 30), at: 1000)
        try rig.transformer.wait(for: 1)[0].make([output(200)])
        _ = try answer.value()
        try rig.settle()
        try use(first, minutes: 3)
        try rig.transformer.wait(for: 2)[1].make([output(100)])
        try waitForEnd(.swapped)
        try rig.settle()
        #expect(try ask(second).value().entity.body.length == 100)
        try use(second, minutes: 4)
        try gather()
        #expect(rig.transformer.all.count == 2)
    }
}
