import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ShrinkOnLoadTests {
    private func factor(
        _ query: String,
        _ width: Int = 4032,
        _ height: Int = 3024,
        format: ImageFormat = .jpeg,
        orientation: Int = 1
    ) throws -> Int {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let source = PixelSize(width: width, height: height)
        let steps = try PlanGeometry.resolve(plan, source: source)
        return ShrinkOnLoad.factor(for: format, steps: steps, source: source, orientation: orientation)
    }

    @Test(arguments: [
        ("w=512", 4), ("w=288", 8), ("w=289", 4), ("w=576", 4), ("w=577", 2), ("w=1008", 2), ("w=1009", 1),
        ("w=4032", 1),
        // The axis with the smaller reduction decides.
        ("w=100&h=1000&fit=fill", 1), ("w=100&h=756&fit=fill", 2), ("w=100&h=757&fit=fill", 1),
        ("w=400&h=400&fit=cover&gravity=attention&round=max", 4),
        // Nothing is reduced without a resize.
        ("blur=3", 1), ("crop=100x100", 1), ("", 1),
        // A decoder reduces stored values, not light.
        ("w=100&linear=1", 1), ("blur=20&w=100&linear=1", 1), ("w=100&linear=0", 8),
    ])
    func `leaves at least 1.75 times the result, and twice when halved`(query: String, expected: Int) throws {
        #expect(try factor(query) == expected)
    }

    @Test(arguments: [
        ("blur=1&w=100", 1), ("sharpen=1&w=100", 1), ("round=9&w=100", 1), ("border=9,fff&w=100", 1),
        ("rotate=5&w=100", 1), ("rotate=90&expand=0&w=100", 1),
        ("w=100&blur=3", 8), ("flip=h&w=100", 8), ("rotate=90&w=100", 8), ("rotate=270&flip=v&w=100", 8),
        ("crop=1000x1000&gravity=entropy&w=100", 1), ("crop=1000x1000&gravity=subject&w=100", 1),
        // A blur hides what the reduced image lacks; its deviation there is at least 1.5 pixels.
        ("blur=2.9&w=100", 1), ("blur=3&w=100", 2), ("blur=6&w=100", 4), ("blur=11.9&w=100", 4), ("blur=12&w=100", 8),
        ("blur=20&flip=h&blur=3&w=100", 2), ("blur=20&round=9&w=100", 1), ("blur=20&w=1008", 2), ("blur=20&w=2000", 1),
    ])
    func `never changes the result of a step`(query: String, expected: Int) throws {
        #expect(try factor(query) == expected)
    }

    @Test(arguments: [
        ("crop=0,0,2000,2000&w=100", 8), ("crop=8,16,2000,2000&w=100", 8), ("crop=4,4,2000,2000&w=100", 4),
        ("crop=2,2,2000,2000&w=100", 2), ("crop=1,0,2000,2000&w=100", 1), ("crop=8,8,9999,9999&w=100", 8),
        ("crop=0,0,2001,2000&w=100", 1), ("crop=8,8,2000,2000&crop=4,4,800,800&w=30", 4),
        ("flip=h&crop=8,8,2000,2000&w=100", 8),
    ])
    func `reduces under a crop whose edges stay on whole pixels`(query: String, expected: Int) throws {
        #expect(try factor(query) == expected)
    }

    @Test(arguments: [
        // 2.5 pixels remain, or 1.5 if the resize reduces much.
        ("blur=8&w=2000", 3), ("blur=12&w=100", 8), ("blur=12&w=500", 4), ("blur=4&w=3900", 1), ("blur=6&w=100", 4),
        ("blur=8&flip=h&blur=3&w=100", 2), ("blur=8&crop=8,8,800,800&w=100", 1), ("blur=8&round=9&w=100", 1),
        ("blur=8", 1), ("blur=40&w=8000&enlarge=1", 16), ("blur=12&w=100&linear=1", 1),
    ])
    func `a blurred image stays small until the resize`(query: String, expected: Int) throws {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let steps = try PlanGeometry.resolve(plan, source: PixelSize(width: 4032, height: 3024), maximumPixels: .max)
        let blur = try #require(plan.steps.first as? BlurStep)
        #expect(ShrinkOnLoad.factor(under: blur, before: steps[1...], loaded: 1) == expected)
        if expected.isMultiple(of: 2) {
            #expect(ShrinkOnLoad.factor(under: blur, before: steps[1...], loaded: 2) == expected / 2)
        }
    }

    @Test(arguments: [
        ("blur=8&w=2000", 3, 2), ("blur=12&w=100", 8, 8), ("blur=40&w=8000&enlarge=1", 16, 1), ("blur=8", 3, 1),
    ])
    func `a blurred image does not stay so small that the resize enlarges it`(
        query: String,
        most: Int,
        expected: Int
    ) throws {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let steps = try PlanGeometry.resolve(plan, source: PixelSize(width: 4032, height: 3024), maximumPixels: .max)
        #expect(ShrinkOnLoad.factor(notEnlarging: most, before: steps[1...], loaded: 1) == expected)
    }

    @Test func `a decoder's rounding rules out crops from the far edge`() throws {
        // 4033 is not a multiple of 8: mirrored, the left edge is the one the decoder rounded.
        #expect(try factor("crop=8,8,2000,2000&w=100", 4033) == 8)
        #expect(try factor("flip=h&crop=8,8,2000,2000&w=100", 4033) == 1)
        #expect(try factor("crop=8,8,2000,2000&w=100", 4033, orientation: 6) == 1)
        #expect(try factor("crop=8,8,2000,2000&w=100", orientation: 6) == 8)
    }

    @Test func `loads every other format in full`() throws {
        for format in ImageFormat.allCases where format != .jpeg { #expect(try factor("w=100", format: format) == 1) }
    }

    @Test func `maps rectangles exactly`() {
        let picture = PixelSize(width: 4033, height: 3024)
        let loaded = PixelSize(width: 505, height: 378)
        let inside = PixelRectangle(left: 8, top: 16, width: 2000, height: 800)
        #expect(
            ShrinkOnLoad.rectangle(inside, of: picture, factor: 8, on: loaded)
                == PixelRectangle(left: 1, top: 2, width: 250, height: 100)
        )
        let toTheEdge = PixelRectangle(left: 8, top: 0, width: 4025, height: 3024)
        #expect(
            ShrinkOnLoad.rectangle(toTheEdge, of: picture, factor: 8, on: loaded)
                == PixelRectangle(left: 1, top: 0, width: 504, height: 378)
        )
    }

    @Test func `the rule holds for any size`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            let source = PixelSize(
                width: RandomPlan.side(using: &generator),
                height: RandomPlan.side(using: &generator)
            )
            let step = RandomPlan.resize(gravity: .center, using: &generator)
            guard !step.isLinear else { continue }
            guard let steps = try? PlanGeometry.resolve(Plan(steps: [step]), source: source, maximumPixels: .max) else {
                continue
            }
            let factor = ShrinkOnLoad.factor(for: .jpeg, steps: steps, source: source, orientation: 1)
            let scaled = step.geometry(for: source).scaled
            func ratio(_ factor: Int) -> Double {
                min(
                    Double(source.width) / Double(factor * scaled.width),
                    Double(source.height) / Double(factor * scaled.height)
                )
            }
            #expect(factor == 1 || ratio(factor) >= (factor == 2 ? 2 : 1.75))
            #expect(factor == 8 || ratio(2 * factor) < (factor == 1 ? 2 : 1.75))
        }
    }
}
