import CacheTestSupport
import ImagePlan
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Mezzanines of originals whose content is not stored.
@Suite(.timeLimit(.minutes(1)))
struct MezzanineContentTests {
    /// A header of 4 MP.
    private func large(_ rig: PipelineRig) -> [UInt8] { rig.png(width: 2000, height: 2000) }

    @Test(arguments: [false, true])
    func `a mezzanine replaces an original whose content is not stored: evicted, or a local file`(isLocal: Bool) throws
    {
        let rig = try isLocal ? PipelineRig() : PipelineRig(originalsQuota: 1)
        let local: (inout SourceRule) -> Void = { rule in
            if isLocal { rule.location = .file(root: "/srv/images") }
        }
        func ask(_ query: String) throws -> PendingAnswer {
            let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
            return rig.ask("large.png", plan.canonicalText, rule: local)
        }
        let pending = try ask("w=400")
        try rig.loader.wait(for: 1)[0].answer(large(rig), at: rig.time.wallSeconds)
        try rig.transformer.wait(for: 1)[0].makeAll([[1], [7, 7]])
        _ = try pending.value()
        try rig.settle()
        let key = rig.request("large.png", nil, rule: local).origin.key
        let stored = try #require(rig.store.origin(key))
        #expect(stored.file == nil)
        let later = try ask("w=500")
        let job = try rig.transformer.wait(for: 2)[1]
        #expect(job.job.reduction?.factor == 2 && job.job.sourceLength == 2)
        job.make([3])
        #expect(try later.value().entity.memory == [3])
        #expect(rig.loader.all.count == 1)
        // This plan needs the original.
        let whole = try ask("w=900")
        try rig.loader.wait(for: 2)[1].answer(large(rig), at: rig.time.wallSeconds)
        let another = try rig.transformer.wait(for: 3)[2]
        #expect(another.job.reduction == nil && another.job.sourceLength == large(rig).count)
        another.makeAll(Array(repeating: [4], count: another.job.outputs.count))
        #expect(try whole.value().entity.memory == [4])
    }
}
