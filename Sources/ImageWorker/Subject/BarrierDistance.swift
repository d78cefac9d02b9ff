/// The minimum barrier distance of each pixel: the smallest range of values, highest minus lowest, on any path from the picture's edge.
///
/// It is low for everything that continues to an edge without a step, as sky, walls and blur do, and high for what is enclosed by a
/// contour. Approximated by passes over the rows (Zhang et al., "Minimum Barrier Salient Object Detection at 80 FPS", ICCV 2015).
struct BarrierDistance {
    /// A value for each side from which paths start: top, bottom, left, right.
    private typealias Sides = SIMD4<Int32>

    /// The sum of the two smallest of the four sides' distances, row by row, in the plane's steps.
    ///
    /// A subject that one side of the picture cuts off has the distance 0 from that side, but the background reaches two or more.
    let values: [Int32]

    /// The passes, alternately from the first pixel to the last and back.
    private static let passes = 3
    /// The width of the strip along a side that counts as the edge, in pixels, so that a thin frame around the picture is part of it.
    private static let strip = 2
    private static let unreached: Int32 = .max

    /// Measures a plane whose values are within ±2^16.
    init(_ plane: [Int32], width: Int, height: Int) {
        precondition(width > 0 && height > 0 && plane.count == width * height)
        var field = Field(
            distances: Self.seeds(width: width, height: height),
            highest: plane.map { Sides(repeating: $0) },
            lowest: plane.map { Sides(repeating: $0) }
        )
        for pass in 0..<Self.passes {
            let isBackward = pass % 2 == 1
            let (toAbove, toBefore) = isBackward ? (width, 1) : (-width, -1)
            for row in 0..<height {
                let y = isBackward ? height - 1 - row : row
                for column in 0..<width {
                    let index = y * width + (isBackward ? width - 1 - column : column)
                    if row > 0 { field.relax(index, from: index + toAbove, plane[index]) }
                    if column > 0 { field.relax(index, from: index + toBefore, plane[index]) }
                }
            }
        }
        values = field.distances.map(Self.twoSmallest)
    }

    /// The distance 0 in the strip along the side of each lane.
    private static func seeds(width: Int, height: Int) -> [Sides] {
        var seeds = [Sides](repeating: Sides(repeating: unreached), count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let gaps = Sides(Int32(y), Int32(height - 1 - y), Int32(x), Int32(width - 1 - x))
                seeds[y * width + x].replace(with: 0, where: gaps .< Sides(repeating: Int32(strip)))
            }
        }
        return seeds
    }

    /// The sum of a pixel's two smallest distances.
    private static func twoSmallest(of sides: Sides) -> Int32 {
        let (low, high) = (pointwiseMin(sides.lowHalf, sides.highHalf), pointwiseMax(sides.lowHalf, sides.highHalf))
        return low.min() &+ min(low.max(), high.min())
    }

    /// The best path to each pixel so far: its range, and the highest and lowest value on it.
    private struct Field {
        var distances: [Sides]
        var highest: [Sides]
        var lowest: [Sides]

        /// Continues a neighbour's paths to a pixel whose own are worse.
        mutating func relax(_ index: Int, from neighbour: Int, _ value: Int32) {
            let here = Sides(repeating: value)
            let high = pointwiseMax(highest[neighbour], here)
            let low = pointwiseMin(lowest[neighbour], here)
            let barrier = high &- low
            let isReached = distances[neighbour] .< Sides(repeating: BarrierDistance.unreached)
            let isBetter = barrier .< distances[index] .& isReached
            distances[index].replace(with: barrier, where: isBetter)
            highest[index].replace(with: high, where: isBetter)
            lowest[index].replace(with: low, where: isBetter)
        }
    }
}
