/// The search for faces: a cascade in windows of many places and sizes, and all that pass.
struct FaceSearch: Sendable {
    /// The ratio of the sizes of windows that follow each other.
    private static let growth = 1.15
    /// The most that a stage's sum may be below its threshold, for errors of rounding; OpenCV has the same.
    private static let tolerance: Float = 1e-5
    /// The corners of an area relative to those of its window, and the factor of its sum.
    private struct Corners {
        var start: Int
        var width: Int
        var rows: Int
        var weight: Float

        init(_ area: FaceCascade.Area, stride: Int) {
            start = area.top * stride + area.left
            width = area.width
            rows = area.height * stride
            weight = area.weight
        }
    }

    /// A node with its feature's areas; the third is empty in features of two.
    private struct Test {
        var areas: (Corners, Corners, Corners)
        var threshold: Float
        /// The index of another test, or the complement of one in `leaves`.
        var low: Int
        var high: Int
    }

    /// The window's size in pixels.
    private let width: Int
    private let height: Int
    private let stages: [FaceCascade.Stage]
    private let stride: Int
    private let tests: [Test]
    private let leaves: [Float]
    /// The window without a margin of one pixel, whose contrast all values are relative to, as in training.
    private let inside: Corners

    /// Prepares a search in planes narrower than `stride`.
    init(_ cascade: FaceCascade, stride: Int) {
        (width, height, stages) = (cascade.width, cascade.height, cascade.stages)
        self.stride = stride
        var leaves: [Float] = []
        func index(_ branch: FaceCascade.Branch) -> Int {
            switch branch {
            case .node(let node): return node
            case .leaf(let value):
                leaves.append(value)
                return ~(leaves.count - 1)
            }
        }
        tests = cascade.nodes.map { node in
            var areas = cascade.features[node.feature].map { Corners($0, stride: stride) }
            if areas.count < 3 {
                areas.append(Corners(.init(left: 0, top: 0, width: 0, height: 0, weight: 0), stride: stride))
            }
            return Test(
                areas: (areas[0], areas[1], areas[2]),
                threshold: node.threshold,
                low: index(node.low),
                high: index(node.high)
            )
        }
        self.leaves = leaves
        let area = FaceCascade.Area(left: 1, top: 1, width: cascade.width - 2, height: cascade.height - 2, weight: 1)
        inside = Corners(area, stride: stride)
    }

    /// Returns the windows that pass, in the plane's pixels.
    func windows(in plane: GreyPlane) -> [FaceBox] {
        precondition(plane.width < stride)
        var found: [FaceBox] = []
        var (reduced, scale) = (plane, 1.0)
        while reduced.width >= width, reduced.height >= height {
            let integral = IntegralPlane(reduced, stride: stride)
            // Windows of the smallest sizes overlap as much at every second pixel as larger ones at each.
            let step = scale < 2 ? 2 : 1
            let (across, down) = (
                Double(plane.width) / Double(reduced.width), Double(plane.height) / Double(reduced.height)
            )
            for y in Swift.stride(from: 0, through: reduced.height - height, by: step) {
                for x in Swift.stride(from: 0, through: reduced.width - width, by: step)
                where passes(integral, at: y &* stride &+ x) {
                    found.append(
                        FaceBox(
                            left: Double(x) * across,
                            top: Double(y) * down,
                            width: Double(width) * across,
                            height: Double(height) * down
                        )
                    )
                }
            }
            scale *= Self.growth
            let (columns, rows) = (Int(Double(plane.width) / scale), Int(Double(plane.height) / scale))
            guard columns >= width, rows >= height else { break }
            // From the plane itself, as OpenCV does: the blur of reductions of reductions would add up.
            reduced = plane.reduced(to: columns, rows)
        }
        return found
    }

    /// Whether the window at a corner passes all stages.
    private func passes(_ plane: IntegralPlane, at corner: Int) -> Bool {
        let count = Int64((width - 2) * (height - 2))
        let sum = Int64(Self.sum(plane.sums, inside, corner))
        let squares = Int64(Self.sum(plane.squares, inside, corner))
        // The square of the number of pixels times the variance. Windows with a deviation below 10 levels are no faces.
        let spread = count &* squares &- sum &* sum
        guard spread >= 100 &* count &* count else { return false }
        let scale = Float(spread).squareRoot()
        for stage in stages {
            var total: Float = 0
            for root in stage.roots { total += value(root, plane, corner, scale) }
            if total < stage.threshold - Self.tolerance { return false }
        }
        return true
    }

    /// The value of the leaf that a window reaches in a tree.
    @inline(__always)
    private func value(_ root: Int, _ plane: IntegralPlane, _ corner: Int, _ scale: Float) -> Float {
        var index = root
        while index >= 0 {
            let test = tests[index]
            var feature = Float(Self.sum(plane.sums, test.areas.0, corner)) * test.areas.0.weight
            feature += Float(Self.sum(plane.sums, test.areas.1, corner)) * test.areas.1.weight
            if test.areas.2.rows != 0 {
                feature += Float(Self.sum(plane.sums, test.areas.2, corner)) * test.areas.2.weight
            }
            index = feature < test.threshold * scale ? test.low : test.high
        }
        return leaves[~index]
    }

    /// The sum of an area of the window at a corner.
    @inline(__always)
    private static func sum<Value: FixedWidthInteger>(_ sums: [Value], _ area: Corners, _ corner: Int) -> Value {
        let start = corner &+ area.start
        let end = start &+ area.rows
        return sums[end &+ area.width] &- sums[end] &- sums[start &+ area.width] &+ sums[start]
    }
}
