import Glibc
import HTTPSemantics
import ImagePlan
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Originals of sources with `serialize: lossless` are replaced by a copy after their first variant.
@Suite(.timeLimit(.minutes(1)))
struct LosslessCopyTaskTests {
    let rig: PipelineRig
    /// A header, and enough bytes to be worth a copy.
    private let original: [UInt8]

    init() throws {
        rig = try PipelineRig()
        original = rig.png() + [UInt8](repeating: 0, count: LosslessCopy.minimumBytes)
    }

    private func ask(_ query: String) throws -> PendingAnswer {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
        return rig.ask("a.png", plan) { $0.serialization = .lossless }
    }

    /// Requests the first variant, and returns the job of the copy.
    private func first() throws -> ScriptedTransformer.Job {
        let pending = try ask("w=10")
        try rig.loader.wait(for: 1)[0].answer(original, at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].make([1])
        #expect(try pending.value().entity.memory == [1])
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.outputs.map(\.plan) == ["lossless/1?orientation=1"] && job.job.priority == .background)
        return job
    }

    private var key: CacheKey { rig.request("a.png", nil).origin.key }

    private func waitForDrop() throws { try waitWhile(rig.store.peek(origin: key)?.hasBody != false) }

    @Test func `later variants are made from the copy, without its original's body`() throws {
        try first().make([9, 9])
        try waitForDrop()
        let later = try ask("w=20")
        let job = try rig.transformer.wait(for: 3)[2]
        #expect(job.job.sourceLength == 2 && job.job.header.format == LosslessCopy.format)
        #expect(job.job.reduction?.factor == 1 && job.job.reduction?.original.width == 1700)
        job.make([2])
        #expect(try later.value().entity.memory == [2])
        #expect(rig.loader.all.count == 1)
    }

    @Test(arguments: [false, true])
    func `a copy that fails or is not smaller is not made again, and the original stays`(fails: Bool) throws {
        let copy = try first()
        if fails { copy.fail(.refused("no copy")) } else { copy.make(original) }
        for (index, query) in ["w=20", "w=30", "w=40"].enumerated() {
            let later = try ask(query)
            let job = try rig.transformer.wait(for: 3 + index)[2 + index]
            #expect(job.job.outputs.first?.plan.contains("lossless") == false)
            #expect(job.job.sourceLength == original.count && job.job.reduction == nil)
            job.make([2])
            _ = try later.value()
        }
        try rig.settle()
        #expect(rig.store.peek(origin: key)?.hasBody == true)
    }

    @Test func `a copy that ends after a purge is not stored`() throws {
        let copy = try first()
        let isPurged = Signal(false)
        #expect(rig.pipeline.purge(.originals([key])) { _ in isPurged.update { $0 = true } })
        try isPurged.wait { $0 }
        copy.make([9, 9])
        try rig.settle()
        #expect(rig.store.variant(LosslessCopyStage.key(of: key)) == nil)
    }

    @Test func `a purge of the original removes its copy`() throws {
        try first().make([9, 9])
        try waitForDrop()
        let purged = Signal<PurgeCounts?>(nil)
        #expect(rig.pipeline.purge(.originals([key])) { counts in purged.update { $0 = counts } })
        #expect(try purged.wait { $0 != nil }?.variants == 2)
        #expect(rig.store.variant(LosslessCopyStage.key(of: key)) == nil)
        let later = try ask("w=20")
        try rig.loader.wait(for: 2)[1].answer(original, at: rig.time.wallSeconds)
        let job = try rig.transformer.wait(for: 3)[2]
        #expect(job.job.reduction == nil && job.job.sourceLength == original.count)
        job.make([2])
        _ = try later.value()
    }

    @Test func `without the copy, the original is fetched again`() throws {
        try first().make([9, 9])
        try waitForDrop()
        rig.store.setLimits(DiskLimits(originals: 10 << 30, variants: 0))
        try rig.settle()
        let later = try ask("w=20")
        try rig.loader.wait(for: 2)[1].answer(original, at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 3)[2].make([2])
        #expect(try later.value().entity.memory == [2])
    }
}
