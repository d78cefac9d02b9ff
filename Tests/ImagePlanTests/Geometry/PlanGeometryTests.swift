import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PlanGeometryTests {
    private func resolve(_ query: String, _ width: Int, _ height: Int) throws -> [ResolvedStep] {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        return try PlanGeometry.resolve(plan, source: PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("w=512", "512x384"),
        ("rotate=90&w=512", "512x683"), ("rotate=90&expand=0&w=512", "512x384"),
        ("w=512&rotate=90", "384x512"),
        ("w=512&rotate=180", "512x384"),
        ("crop=50%25,50%25,50%25,50%25&w=512", "512x384"),
        ("crop=1000x1000&w=512", "512x512"),
        ("w=512&crop=1000x1000", "512x384"),
        ("w=512&crop=100x1000", "100x384"),
        ("crop=4000,3000,500,500", "32x24"),
        ("crop=-100,-100,500,500", "400x400"),
        ("w=100&round=max&border=2,fff&blur=3&sharpen=1&flip=h", "100x75"),
    ])
    func `resolves the steps in order`(query: String, expected: String) throws {
        #expect(try resolve(query, 4032, 3024).last?.output.size.description == expected)
    }

    @Test(arguments: [
        ("30", "310x237"), ("45", "284x284"), ("12.5", "315x164"), ("200", "316x198"), ("90", "101x300"),
        ("270", "101x300"),
        ("180", "300x101"),
    ])
    func `sizes a rotation like libvips`(degrees: String, expected: String) throws {
        // The sizes that `vips rotate` of libvips 8.14 computes for 300×101.
        #expect(try resolve("rotate=\(degrees)", 300, 101).last?.output.size.description == expected)
    }

    @Test(arguments: [
        "crop=4032,0,10,10", "crop=0,3024,10,10", "crop=-10,0,10,10", "crop=100%25,0,5,5", "w=100&crop=200,0,5,5",
    ])
    func `rejects an empty crop as unprocessable`(query: String) {
        let error = #expect(throws: RequestError.self) { try resolve(query, 4032, 3024) }
        #expect(error?.parameter == "crop")
        #expect(error?.status == .unprocessable)
    }

    @Test func `rejects a result over a limit`() {
        let side = #expect(throws: RequestError.self) { try resolve("w=16384&enlarge=1", 10, 1000) }
        #expect(side?.parameter == "w")
        #expect(side?.status == .unprocessable)
        #expect(throws: RequestError.self) { try resolve("w=16384&h=16384&fit=pad", 10, 10) }
        #expect(throws: RequestError.self) { try resolve("rotate=45", 50_000, 1000) }
        #expect(throws: RequestError.self) { try resolve("w=3", 0, 10) }
    }

    @Test func `does not blame a step for a large source`() throws {
        #expect(try resolve("w=5000", 10_000, 10_000).last?.output.size.description == "5000x5000")
    }

    @Test func `every crop is inside its image`() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<10_000 {
            let plan = RandomPlan.make(using: &generator)
            let source = PixelSize(
                width: RandomPlan.side(using: &generator),
                height: RandomPlan.side(using: &generator)
            )
            guard let steps = try? PlanGeometry.resolve(plan, source: source, maximumPixels: .max) else { continue }
            for resolved in steps {
                #expect(resolved.output.size.width >= 1 && resolved.output.size.height >= 1)
                guard let crop = resolved.step as? CropStep,
                    case .rectangle(let rectangle)? = try? crop.placement(in: resolved.input.size)
                else { continue }
                #expect(rectangle.intersected(with: resolved.input.size) == rectangle)
                #expect(rectangle.size == resolved.output.size)
            }
        }
    }

    @Test func `corners follow the image`() throws {
        let steps = try resolve("round=40,20,10,0&w=50&flip=h&rotate=90&border=1,fff&crop=10x10&border=1,fff", 100, 100)
        #expect(steps[1].output.corners == CornerRadii(topLeft: 20, topRight: 10, bottomRight: 5, bottomLeft: 0))
        #expect(steps[2].output.corners == CornerRadii(topLeft: 10, topRight: 20, bottomRight: 0, bottomLeft: 5))
        #expect(steps[3].output.corners == CornerRadii(topLeft: 5, topRight: 10, bottomRight: 20, bottomLeft: 0))
        #expect(steps[4].input.corners == steps[3].output.corners)
        #expect(steps[6].input.corners.isSquare)
    }

    @Test(arguments: [
        ("round=max", 50.0), ("round=50%25", 50), ("round=10%25", 10), ("round=30", 30), ("round=5000", 50),
    ])
    func `radii never overlap`(query: String, expected: Double) throws {
        let corners = try #require(try resolve(query, 200, 100).last).output.corners
        #expect(corners.topLeft == expected)
        #expect(corners.bottomRight == expected)
    }
}
