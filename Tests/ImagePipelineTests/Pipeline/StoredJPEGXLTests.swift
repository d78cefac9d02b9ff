import Glibc
import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// JPEG originals of sources with `serialize: jxl` are replaced by a JPEG XL after their first use, and restored from it.
@Suite(.timeLimit(.minutes(1)))
struct StoredJPEGXLTests {
    let rig: PipelineRig
    /// A header, and enough bytes to be worth a JPEG XL.
    private let original: [UInt8]

    init() throws { self.init(try PipelineRig(), width: 1700, height: 880) }

    private init(_ rig: PipelineRig, width: UInt16, height: UInt16) {
        self.rig = rig
        let size = [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)]
        original =
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8] + size + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xDA]
            + [UInt8](repeating: 0, count: OriginalTranscoding.minimumBytes)
    }

    private func ask(_ query: String?, priority: RequestPriority = .normal) throws -> PendingAnswer {
        let plan = try query.map {
            try RequestLanguage.parse(query: $0, options: ParseOptions()).plan.canonicalText
        }
        return rig.ask("a.jpg", plan, priority: priority) { $0.serialization = .jxl }
    }

    private var key: CacheKey { rig.request("a.jpg", nil).origin.key }

    private var copy: StoredVariant? { rig.store.variant(LosslessCopyStage.key(of: key)) }

    private func waitForDrop() throws { try waitWhile(rig.store.peek(origin: key)?.hasBody != false) }

    /// Has the original stored as JPEG XL, after a first variant in two jobs and one download.
    private func store() throws {
        let pending = try ask("w=10")
        try rig.loader.wait(for: 1)[0].answer(original, at: rig.time.wallSeconds, entityTag: "\"a\"")
        try rig.transformer.wait(for: 1)[0].make([1])
        _ = try pending.value()
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.map(\.plan) == ["jxl/1"] && job.job.priority == .background)
        job.make([[9, 9]], as: .picture(.jxl))
        try waitForDrop()
    }

    /// The job that restores the original.
    private func restoration(_ number: Int) throws -> ScriptedTransformer.Job {
        let job = try rig.transformer.wait(for: number)[number - 1]
        #expect(job.job.outputs.map(\.plan) == ["jpeg/1?length=\(original.count)"])
        #expect(job.job.header.format == .jxl && job.job.sourceLength == 2)
        return job
    }

    @Test func `requests that need the original share its restoration, and it is not stored again`() throws {
        try store()
        let asked = try [ask("w=20"), ask("w=30")]
        let job = try restoration(3)
        // The second request passes the lane several times until it has joined.
        for _ in 0..<20 { try rig.drainLane() }
        job.make([original], as: .jpeg)
        // In one job, or in two.
        var made = 0
        while made < asked.count {
            let transform = try rig.transformer.wait(for: 4 + made)[3 + made]
            #expect(transform.job.sourceLength == original.count)
            transform.make(transform.job.outputs.map { _ in [2] }, as: .png)
            made += transform.job.outputs.count
        }
        for pending in asked { #expect(try pending.value().status == .hit(.original)) }
        #expect(rig.loader.all.count == 1)
        try rig.settle()
        #expect(rig.store.peek(origin: key)?.hasBody == false && copy != nil)
    }

    @Test func `a request for the original gets its bytes`() throws {
        try store()
        let pending = try ask(nil)
        try restoration(3).make([original], as: .jpeg)
        let answer = try pending.value()
        #expect(
            answer.entity.body.length == original.count
                && answer.entity.description.digest == CacheKey(hashing: original)
        )
        #expect(rig.loader.all.count == 1)
    }

    @Test func `from a copy that gives other bytes nothing is served, and the original is downloaded`() throws {
        try store()
        let pending = try ask(nil)
        var wrong = original
        wrong[wrong.count - 1] = 1
        try restoration(3).make([wrong], as: .jpeg)
        let load = try rig.loader.wait(for: 2)[1]
        try rig.settle()
        #expect(copy == nil)
        load.answer(original, at: rig.time.wallSeconds)
        #expect(try pending.value().entity.description.digest == CacheKey(hashing: original))
        // It is stored anew.
        try rig.transformer.wait(for: 4)[3].make([[8, 8]], as: .picture(.jxl))
        try waitWhile(copy?.record.digest != CacheKey(hashing: [8, 8]))
        try waitForDrop()
    }

    @Test(arguments: [PipelineError.broken("damaged"), .crashedDecoder, .overloaded("busy"), .workerLost])
    func `without a restoration the original is downloaded, and a damaged copy is removed`(_ error: PipelineError)
        throws
    {
        try store()
        let pending = try ask(nil)
        try restoration(3).fail(error)
        let load = try rig.loader.wait(for: 2)[1]
        try rig.settle()
        #expect((copy == nil) == error.traits.isPermanent)
        load.answer(original, at: rig.time.wallSeconds)
        #expect(try pending.value().entity.body.length == original.count)
    }

    @Test func `a client that leaves ends the restoration, and a more urgent one raises it`() throws {
        try store()
        let first = try ask(nil, priority: .low)
        let job = try restoration(3)
        #expect(job.job.priority == .low)
        let second = try ask(nil, priority: .high)
        try waitWhile(job.raised.isEmpty)
        #expect(job.raised.last == .high)
        first.leave()
        #expect(!job.isCancelled)
        second.leave()
        try waitWhile(!job.isCancelled)
        #expect(rig.loader.all.count == 1)
    }

    @Test func `a validation needs no restoration`() throws {
        try store()
        rig.time.advance(seconds: 7200)
        let pending = try ask("w=10")
        try rig.loader.wait(for: 2)[1].answerNotModified(at: rig.time.wallSeconds)
        _ = try pending.value()
        #expect(rig.transformer.all.count == 2)
    }

    @Test func `a later width is made from a mezzanine instead`() throws {
        let other = StoredJPEGXLTests(try PipelineRig(), width: 4000, height: 4000)
        let pending = try other.ask("w=900")
        try other.rig.loader.wait(for: 1)[0].answer(other.original, at: other.rig.time.wallSeconds)
        let first = try other.rig.transformer.wait(for: 1)[0]
        try #require(first.job.outputs.count > 1)
        first.make(first.job.outputs.map { _ in [1] }, as: .jpeg)
        _ = try pending.value()
        try other.rig.transformer.wait(for: 2)[1].make([[9, 9]], as: .picture(.jxl))
        try other.waitForDrop()
        let later = try other.ask("w=300")
        let job = try other.rig.transformer.wait(for: 3)[2]
        #expect(job.job.reduction != nil && job.job.sourceLength == 1)
        job.make(job.job.outputs.map { _ in [2] }, as: .jpeg)
        #expect(try later.value().status == .hit(.original))
    }

    @Test func `what was stored is restored after the setting is off`() throws {
        try store()
        let pending = rig.ask("a.jpg", nil)
        try restoration(3).make([original], as: .jpeg)
        #expect(try pending.value().entity.body.length == original.count)
        #expect(rig.loader.all.count == 1)
    }
}
