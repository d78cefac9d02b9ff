/// A convolution of feature maps by a kernel of 1 × 1 or 3 × 3 places.
struct Convolution: Sendable {
    /// The sides of the kernel: 1 or 3.
    let side: Int
    /// The distance of the places that it is applied to: 1 or 2.
    let stride: Int
    let inputs: Int
    let outputs: Int
    /// Whether each output depends on the same channel of the input alone.
    let isDepthwise: Bool
    /// Eight outputs' factors together: for each place of the kernel, each input, and each group of outputs; without inputs if `isDepthwise`.
    private let weights: [SIMD8<Float>]
    private let bias: [SIMD8<Float>]

    /// Prepares a kernel.
    ///
    /// - Parameters:
    ///   - weights: by output, input, row and column; by output, row and column if `isDepthwise`.
    ///   - bias: a number for each output.
    init(side: Int, stride: Int, inputs: Int, isDepthwise: Bool, weights: [Float], bias: [Float]) {
        (self.side, self.stride, self.isDepthwise) = (side, stride, isDepthwise)
        (self.inputs, outputs) = (inputs, bias.count)
        let (taps, perOutput) = (side * side, isDepthwise ? 1 : inputs)
        precondition(weights.count == outputs * perOutput * taps)
        let groups = (bias.count + 7) / 8
        var arranged = [SIMD8<Float>](repeating: SIMD8(), count: taps * perOutput * groups)
        for output in bias.indices {
            for input in 0..<perOutput {
                for tap in 0..<taps {
                    let weight = weights[(output * perOutput + input) * taps + tap]
                    arranged[(tap * perOutput + input) * groups + (output >> 3)][output & 7] = weight
                }
            }
        }
        self.weights = arranged
        self.bias = (0..<groups).map { group in
            SIMD8((0..<8).map { 8 * group + $0 < bias.count ? bias[8 * group + $0] : 0 })
        }
    }

    /// The multiplications for each place of the result.
    var cost: Int { side * side * outputs * (isDepthwise ? 1 : inputs) }

    /// Applies the kernel.
    func callAsFunction(_ map: FeatureMap) -> FeatureMap {
        precondition(map.groups == (inputs + 7) / 8)
        var result = FeatureMap(width: map.width / stride, height: map.height / stride, groups: bias.count)
        // The distances of the kernel's places from its middle.
        let taps =
            side == 1
            ? [0] : (-1...1).flatMap { y in (-1...1).map { x in y * map.rowStride + x * map.groups } }
        for y in 0..<result.height {
            if isDepthwise { applyDepthwise(map, taps, y, &result) } else { apply(map, taps, y, &result) }
        }
        return result
    }

    private func applyDepthwise(_ map: FeatureMap, _ taps: [Int], _ y: Int, _ result: inout FeatureMap) {
        for x in 0..<result.width {
            let (from, to) = (map.index(stride * x, stride * y), result.index(x, y))
            for group in bias.indices {
                var sum = bias[group]
                for tap in taps.indices {
                    sum += map.values[from + taps[tap] + group] * weights[tap * bias.count + group]
                }
                result.values[to + group] = sum
            }
        }
    }

    /// Computes a row, four places at a time, so that each weight is read once for four.
    private func apply(_ map: FeatureMap, _ taps: [Int], _ y: Int, _ result: inout FeatureMap) {
        let (groups, last) = (bias.count, result.width - 1)
        let step = stride * map.groups
        for x in Swift.stride(from: 0, through: last, by: 4) {
            let from = map.index(stride * x, stride * y)
            // At the end of a row, the last place again.
            let (second, third, fourth) = (min(1, last - x) * step, min(2, last - x) * step, min(3, last - x) * step)
            for group in 0..<groups {
                var sums = (bias[group], bias[group], bias[group], bias[group])
                for tap in taps.indices {
                    for input in 0..<inputs {
                        let weight = weights[(tap * inputs + input) * groups + group]
                        let (place, lane) = (from + taps[tap] + (input >> 3), input & 7)
                        sums.0 += map.values[place][lane] * weight
                        sums.1 += map.values[place + second][lane] * weight
                        sums.2 += map.values[place + third][lane] * weight
                        sums.3 += map.values[place + fourth][lane] * weight
                    }
                }
                let to = result.index(x, y) + group
                result.values[to] = sums.0
                if x + 1 <= last { result.values[to + groups] = sums.1 }
                if x + 2 <= last { result.values[to + 2 * groups] = sums.2 }
                if x + 3 <= last { result.values[to + 3 * groups] = sums.3 }
            }
        }
    }
}
