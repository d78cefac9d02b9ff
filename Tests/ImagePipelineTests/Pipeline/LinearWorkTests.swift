import HTTPCache
import ImagePlan
import TestSupport
import Testing

@testable import ImagePipeline

/// Work in linear light, which takes several times as long.
@Suite(.timeLimit(.minutes(1)))
struct LinearWorkTests {
    @Test func `a failure in linear light predicts none of the same resize without it`() throws {
        let rig = try PipelineRig()
        let header = ImageHeader(format: .png, width: 4000, height: 3000)
        let (plain, linear) = ("1?w=800", "1?w=800&linear=1")
        let works = [plain, linear].map { plan in
            WorkClass(of: rig.request("a.png", plan), plan: plan, header: header, bucket: nil)
        }
        #expect(works[0].isAtMost(works[1]) && !works[1].isAtMost(works[0]))
        let costs = try [plain, linear].map { plan in
            try CostEstimate(of: Plan(canonicalText: plan), header: header, format: .jpeg, maximumPixels: .max).work
        }
        #expect(costs[1] > 2 * costs[0])
    }
}
