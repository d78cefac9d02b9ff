import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ResizeGeometryTests {
    private func geometry(_ query: String, _ width: Int, _ height: Int) throws -> ResizeGeometry {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let step = try #require(plan.steps.first as? ResizeStep)
        return step.geometry(for: PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("w=512", 4032, 3024, "512x384"),
        ("h=512", 4032, 3024, "683x512"),
        ("w=512&h=512", 4032, 3024, "512x384"),
        ("w=512&h=100", 4032, 3024, "133x100"),
        ("w=100", 3, 1, "3x1"),
        ("w=100&enlarge=1", 3, 1, "100x33"),
        ("w=1", 1000, 1, "1x1"),
        // Halves round up: 3 × 5 ÷ 10 = 1.5.
        ("w=5", 10, 3, "5x2"),
        ("w=400&h=400&fit=cover", 4032, 3024, "400x400"),
        // A box larger than the source shrinks and keeps its aspect ratio.
        ("w=400&h=400&fit=cover", 300, 200, "200x200"),
        ("w=400&h=200&fit=cover", 300, 200, "300x150"),
        ("w=400&h=100&fit=cover", 300, 200, "300x75"),
        ("w=400&h=400&fit=cover&enlarge=1", 300, 200, "400x400"),
        ("w=400&h=100&fit=fill", 300, 200, "300x100"),
        ("w=400&h=100&fit=fill&enlarge=1", 300, 200, "400x100"),
        ("w=400&h=400&fit=pad", 300, 200, "400x400"),
        ("w=400&fit=cover", 4032, 3024, "400x300"),
        ("h=400&fit=pad", 4032, 3024, "533x400"),
    ])
    func `computes the documented sizes`(query: String, width: Int, height: Int, expected: String) throws {
        #expect(try geometry(query, width, height).output.description == expected)
    }

    @Test(arguments: [
        ("w=400", "400x200"), ("h=400", "800x400"), ("w=50", "50x25"), ("w=400&h=400", "400x200"),
        ("w=400&h=400&fit=cover", "400x400"), ("w=400&h=400&fit=crop", "400x400"), ("w=400&h=300&fit=auto", "400x300"),
        ("w=400&h=400&fit=fill", "400x400"), ("w=400&h=400&fit=outside", "800x400"),
        ("w=150&h=400&fit=adaptive", "300x150"), ("w=200%25", "100x50"), ("crop=50x50&w=400", "400x400"),
    ])
    func `a vector image grows to the requested size`(query: String, expected: String) throws {
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
        let source = PixelSize(width: 100, height: 50)
        #expect(try PlanGeometry.outputSize(of: plan.growing, source: source).description == expected)
        let padded = try RequestLanguage.parse(query: "w=400&h=400&fit=pad", options: ParseOptions()).plan.growing
        let resize = try #require(padded.steps.first as? ResizeStep)
        #expect(resize.geometry(for: source).scaled == PixelSize(width: 400, height: 200))
    }

    @Test(arguments: [
        ("center", 100, 0), ("north", 100, 0), ("west", 0, 0), ("east", 200, 0), ("0.3,0.5", 20, 0), ("0.1,0.9", 0, 0),
        ("0.9,0", 200, 0),
    ])
    func `places the crop of cover by gravity`(gravity: String, left: Int, top: Int) throws {
        let geometry = try geometry("w=200&h=200&fit=cover&gravity=\(gravity)", 800, 400)
        #expect(geometry.scaled == PixelSize(width: 400, height: 200))
        let expected = PixelRectangle(left: left, top: top, width: 200, height: 200)
        #expect(geometry.framing == .crop(.rectangle(expected)))
    }

    @Test func `an odd pixel goes to the right and bottom`() throws {
        let cut = PixelRectangle(left: 100, top: 0, width: 200, height: 200)
        #expect(try geometry("w=200&h=200&fit=cover", 802, 400).framing == .crop(.rectangle(cut)))
        let canvas = PixelSize(width: 401, height: 100)
        #expect(try geometry("w=401&h=100&fit=pad", 200, 100).framing == .canvas(canvas, left: 100, top: 0))
    }

    @Test(arguments: [Gravity.attention, .entropy, .subject])
    func `leaves a position open that is searched in the pixels`(gravity: Gravity) throws {
        let geometry = try geometry("w=200&h=200&fit=cover&gravity=\(gravity.text)", 800, 400)
        #expect(geometry.framing == .crop(.searched(PixelSize(width: 200, height: 200), gravity: gravity)))
    }

    @Test(arguments: [
        ("center", 100, 50), ("north", 100, 0), ("southeast", 200, 100), ("0.25,1", 50, 100),
    ])
    func `places the image on the canvas of pad by gravity`(gravity: String, left: Int, top: Int) throws {
        let geometry = try geometry("w=400&h=200&fit=pad&gravity=\(gravity)", 200, 100)
        #expect(geometry.scaled == PixelSize(width: 200, height: 100))
        #expect(geometry.framing == .canvas(PixelSize(width: 400, height: 200), left: left, top: top))
    }

    @Test func `its guarantees hold for any size`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let source = PixelSize(
                width: RandomPlan.side(using: &generator),
                height: RandomPlan.side(using: &generator)
            )
            let gravity = RandomPlan.gravity(using: &generator)
            let step = RandomPlan.resize(gravity: gravity, using: &generator)
            check(step, on: source)
        }
    }

    private func check(_ step: ResizeStep, on source: PixelSize) {
        let geometry = step.geometry(for: source)
        let output = geometry.output
        let label = Comment(rawValue: "\(step) on \(source) gives \(geometry)")
        #expect(
            output.width >= 1 && output.height >= 1 && geometry.scaled.width >= 1 && geometry.scaled.height >= 1,
            label
        )
        let least = (step.leastWidth ?? 0, step.leastHeight ?? 0)
        #expect(geometry.scaled.width >= least.0 && geometry.scaled.height >= least.1, label)
        guard least == (0, 0) else {
            #expect(geometry.framing == .none && keepsShape(output, of: source), label)
            return
        }
        if !step.enlarge {
            #expect(geometry.scaled.width <= source.width && geometry.scaled.height <= source.height, label)
        }
        if step.fit != .fill { #expect(keepsShape(geometry.scaled, of: source), label) }
        let (stated, other) = (step.width?.side(in: source.width), step.height?.side(in: source.height))
        guard let width = stated, let height = other else {
            if let width = stated {
                #expect(output.width == (step.enlarge ? width : min(width, source.width)), label)
            }
            if let height = other {
                #expect(output.height == (step.enlarge ? height : min(height, source.height)), label)
            }
            return
        }
        let box = PixelSize(width: width, height: height)
        switch step.fit {
        case .contain:
            #expect(output.width <= width && output.height <= height, label)
            let touches = output.width == width || output.height == height
            #expect(touches || !step.enlarge && output == source, label)
        case .cover:
            if step.enlarge || width <= source.width && height <= source.height { #expect(output == box, label) }
            #expect(keepsShape(output, of: box), label)
            #expect(output.width <= geometry.scaled.width && output.height <= geometry.scaled.height, label)
        case .crop:
            #expect(!step.enlarge, label)
            #expect(output.width == min(width, geometry.scaled.width), label)
            #expect(output.height == min(height, geometry.scaled.height), label)
            #expect(output == box || geometry.scaled == source, label)
        case .auto:
            let isAlike = (source.width >= source.height) == (width >= height)
            let other = ResizeStep(
                width: width,
                height: height,
                fit: isAlike ? .crop : .contain,
                gravity: step.gravity,
                enlarge: step.enlarge
            )
            #expect(geometry == other.geometry(for: source), label)
        case .adaptive:
            let turned = PixelSize(width: height, height: width)
            let isTurned = (source.width - source.height).signum() * (width - height).signum() < 0
            let other = ResizeStep(
                width: isTurned ? height : width,
                height: isTurned ? width : height,
                enlarge: step.enlarge
            )
            #expect(geometry == other.geometry(for: source), label)
            #expect(output.isContained(in: isTurned ? turned : box), label)
        case .fill:
            #expect(output.width == (step.enlarge ? width : min(width, source.width)), label)
            #expect(output.height == (step.enlarge ? height : min(height, source.height)), label)
        case .pad:
            #expect(output == box, label)
        case .outside:
            let covers = output.width >= width && output.height >= height
            #expect(covers || !step.enlarge && output == source, label)
            #expect(step.enlarge || output.isContained(in: source), label)
        }
        checkFraming(geometry, label)
    }

    private func checkFraming(_ geometry: ResizeGeometry, _ label: Comment) {
        switch geometry.framing {
        case .none: break
        case .crop(.searched): break
        case .crop(.rectangle(let rectangle)):
            #expect(rectangle.intersected(with: geometry.scaled) == rectangle, label)
        case .canvas(let canvas, let left, let top):
            #expect(left >= 0 && left + geometry.scaled.width <= canvas.width, label)
            #expect(top >= 0 && top + geometry.scaled.height <= canvas.height, label)
        }
    }

    /// Whether a side is within half a pixel of what the other one and the aspect ratio imply, or is clamped to 1.
    private func keepsShape(_ size: PixelSize, of shape: PixelSize) -> Bool {
        // |w × H − h × W| ÷ side ≤ ½, for either side.
        let error = abs(size.width * shape.height - size.height * shape.width)
        return 2 * error <= shape.width || 2 * error <= shape.height || size.width == 1 || size.height == 1
    }
}
