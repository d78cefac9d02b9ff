import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PixelDependentSizeTests {
    private func resolve(_ query: String, _ width: Int = 400, _ height: Int = 300) throws -> [ResolvedStep] {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return try PlanGeometry.resolve(plan, source: PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("pad=10", "420x320"), ("pad=10,20", "440x320"), ("pad=1,2,3,4", "406x304"), ("pad=0,0,0,7&w=100", "100x74"),
        ("w=100&pad=10", "120x95"), ("w=100&dpr=2&pad=10", "240x190"),
    ])
    func `pad adds the given margins`(query: String, expected: String) throws {
        #expect(try resolve(query).last?.output.size.description == expected)
    }

    @Test func `pad makes the image a plain rectangle`() throws {
        #expect(try resolve("round=9&pad=1").last?.output.corners.isSquare == true)
    }

    @Test func `pad is checked against the limits`() {
        let error = #expect(throws: RequestError.self) { try resolve("pad=16384&pad=16384") }
        #expect(error?.parameter == "pad")
        #expect(error?.status == .unprocessable)
    }

    @Test func `a trimmed size is inexact, and so are all sizes after it`() throws {
        let steps = try resolve("w=200&trim=10&pad=5&flip=h")
        #expect(steps.map(\.isExact) == [true, false, false, false])
        #expect(steps.last?.output.size.description == "210x160")
    }

    @Test func `limits are not checked before the pixels are known`() throws {
        // Untrimmed it exceeds the limit, but trimmed to a strip it may fit.
        #expect(try resolve("trim=10&w=16384&enlarge=1", 100, 2000).count == 2)
        #expect(throws: RequestError.self) { try resolve("w=16384&enlarge=1&trim=10", 100, 2000) }
    }

    @Test func `the remaining steps resolve on the result of a step`() throws {
        let plan = try RequestLanguage.parse(query: "trim=10&w=100&pad=5", options: ParseOptions()).plan
        let made = PictureShape(size: PixelSize(width: 200, height: 50))
        let rest = try PlanGeometry.resolve(plan.steps[1...], from: made)
        #expect(rest.map { $0.output.size.description } == ["100x25", "110x35"])
        #expect(rest.allSatisfy { $0.isExact })
    }

    @Test func `the estimate assumes that a trim cuts nothing`() throws {
        let plan = try RequestLanguage.parse(query: "trim=10", options: ParseOptions()).plan
        let header = ImageHeader(format: .png, width: 400, height: 300)
        let estimate = try CostEstimate(of: plan, header: header, format: .png)
        #expect(estimate.encodedPixels == 120_000)
        #expect(estimate.work >= 120_000)
    }
}
