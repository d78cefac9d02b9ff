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
    ///   - start: where it begins, in samples: 0, or a part of a sample before or behind.
    ///   - extent: its length in samples; less than `count` if the last sample is partial, and more if less than a sample is missing.
    ///   - target: the samples of the shorter line; at most `count`.
    init(count: Int, start: Double = 0, extent: Double, target: Int) {
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
            let centre = start + (Double(index) + 0.5) * extent / Double(target) - 0.5
            let begin = max(0, Int((centre - support).rounded(.up))) / 2
            first.append(begin)
            for place in window.indices { window[place] = 0 }
            var sum = 0.0
            let earliest = Int((centre - support).rounded(.up))
            var kernel = Lanczos(at: (Double(earliest) - centre) / scale, step: 1 / scale)
            for sample in earliest...Int((centre + support).rounded(.down)) {
                let weight = kernel.next()
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

    /// The kernel at evenly spaced places: 3 sin(πx) sin(πx/3) / (πx)².
    ///
    /// With s for sin(πx/3), sin(πx) is 3s - 4s³; the next s is that of a sum of angles, so that sines are computed once a result.
    private struct Lanczos {
        private var third: Double
        private var turned: (sine: Double, cosine: Double)
        private let step: Double
        private let turn: (sine: Double, cosine: Double)

        init(at x: Double, step: Double) {
            third = Double.pi / lobes * x
            turned = (sin(third), cos(third))
            self.step = Double.pi / lobes * step
            turn = (sin(self.step), cos(self.step))
        }

        mutating func next() -> Double {
            let (angle, square) = (third, turned.sine * turned.sine)
            third += step
            turned = (
                turned.sine * turn.cosine + turned.cosine * turn.sine,
                turned.cosine * turn.cosine - turned.sine * turn.sine
            )
            // The quotient is uncertain there, and the kernel differs from one by less than 10⁻⁹.
            guard abs(angle) > 1e-5 else { return 1 }
            guard angle < Double.pi, angle > -Double.pi else { return 0 }
            return square * (3 - 4 * square) / (3 * angle * angle)
        }
    }
}
