import Glibc

/// The weights with which samples of a line form each sample of a shorter one: Lanczos with three lobes, widened by the factor.
///
/// Samples are combined in pairs that start at even indices, as `edge_pairwise_products` needs them.
struct ResamplingWeights {
    /// The fractional bits of weights, whose sum is `1 << fraction`.
    static let fraction = 14
    private static let lobes = 3.0

    /// The number of sample pairs per result; the last ones may be past the end, with weights of zero.
    let pairs: Int
    /// The first pair of each result.
    let first: [Int]
    /// Per result, `pairs` vectors that repeat the two weights of a pair four times.
    let lanes: [SIMD8<Int16>]

    /// Computes the weights.
    ///
    /// - Parameters:
    ///   - count: the samples of the longer line.
    ///   - extent: its length in samples; less than `count` if the last sample is partial.
    ///   - target: the samples of the shorter line; at most `count`.
    init(count: Int, extent: Double, target: Int) {
        let scale = max(1, extent / Double(target))
        let support = Self.lobes * scale
        // Both ends, and one more sample if the first is odd.
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
                // The edge samples repeat beyond the ends.
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

    /// Converts weights to fixed point with a sum of exactly one, so that uniform colours do not change.
    private static func fixed(_ window: [Double], sum: Double) -> [Int16] {
        var rest = 0.0
        return window.map { weight in
            // Carry the rounding error to the next weight.
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
