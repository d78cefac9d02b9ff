import Glibc

/// How each sample of a shorter line comes of those of a longer one: Lanczos of three lobes, as wide as the line becomes shorter.
///
/// Samples are taken in pairs, the first at an even place, as `pairwiseProducts` wants them.
struct ResamplingWeights {
    /// Fixed point: a sum of weights is `1 << fraction`.
    static let fraction = 14
    private static let lobes = 3.0

    /// Pairs of samples that each result takes; the last ones may lie behind the end, with a weight of zero.
    let pairs: Int
    /// The first pair of each result.
    let first: [Int]
    /// Of each result `pairs` times the two weights of a pair, four times over.
    let lanes: [SIMD8<Int16>]

    /// - Parameters:
    ///   - count: samples of the longer line.
    ///   - extent: its length in samples; less than `count` where the last one stands for a part only.
    ///   - target: samples of the shorter one; at most `count`.
    init(count: Int, extent: Double, target: Int) {
        let scale = max(1, extent / Double(target))
        let support = Self.lobes * scale
        // Both ends, and one sample before an odd first one.
        pairs = (Int(support.rounded(.up)) * 2 + 3) / 2
        var first: [Int] = []
        var lanes: [SIMD8<Int16>] = []
        first.reserveCapacity(target)
        lanes.reserveCapacity(target * pairs)
        var window = [Double](repeating: 0, count: pairs * 2)
        for index in 0..<target {
            let centre = (Double(index) + 0.5) * extent / Double(target) - 0.5
            let begin = max(0, Int((centre - support).rounded(.up))) / 2
            first.append(begin)
            for place in window.indices { window[place] = 0 }
            var sum = 0.0
            for sample in Int((centre - support).rounded(.up))...Int((centre + support).rounded(.down)) {
                let weight = Self.lanczos((Double(sample) - centre) / scale)
                // Beyond the ends the line goes on as it ends.
                window[min(max(sample, 0), count - 1) - begin * 2] += weight
                sum += weight
            }
            let fixed = Self.fixed(window, sum: sum)
            for pair in 0..<pairs {
                let (left, right) = (fixed[2 * pair], fixed[2 * pair + 1])
                lanes.append(SIMD8(left, right, left, right, left, right, left, right))
            }
        }
        self.first = first
        self.lanes = lanes
    }

    /// Weights in fixed point whose sum is exactly one, so that an even colour stays as it is.
    private static func fixed(_ window: [Double], sum: Double) -> [Int16] {
        var rest = 0.0
        return window.map { weight in
            // What rounding takes from one its neighbour gets.
            let exact = weight / sum * Double(1 << fraction) + rest
            let rounded = exact.rounded()
            rest = exact - rounded
            return Int16(rounded)
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        guard x != 0 else { return 1 }
        guard abs(x) < lobes else { return 0 }
        let angle = Double.pi * x
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }
}
