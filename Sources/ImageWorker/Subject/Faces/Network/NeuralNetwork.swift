/// A neural network of convolutions that can be applied to pictures of three channels and any size.
struct NeuralNetwork: Sendable {
    enum Operation: Sendable {
        case convolve(Convolution)
        /// Replaces negative values by zeros.
        case rectify
        /// Takes the largest of each square of four places.
        case pool
        /// Makes a square of four of each place.
        case double
        case add
    }

    /// An operation and its operands, by the numbers of their values.
    struct Step: Sendable {
        var operation: Operation
        var inputs: [Int]
        /// The operands that no later step needs.
        var lastUses: Set<Int> = []
    }

    /// The channels of a value, and how often its sides are half of the picture's.
    struct Shape: Hashable, Sendable {
        var channels: Int
        var halvings: Int
    }

    /// The picture is value 0, and the result of step n value n + 1.
    let steps: [Step]
    /// The numbers of the values that are returned.
    let outputs: [Int]
    /// The shapes of the outputs.
    let shapes: [Shape]
    /// The sides of a picture are multiples of this, in places.
    let alignment: Int

    /// Returns the outputs for a picture.
    func callAsFunction(_ picture: FeatureMap) -> [FeatureMap] {
        precondition(picture.width % alignment == 0 && picture.height % alignment == 0)
        var values: [FeatureMap?] = [picture]
        for step in steps {
            var operands = step.inputs.compactMap { values[$0] }
            // Before the step, which may then change its operands in place.
            for input in step.lastUses { values[input] = nil }
            values.append(step.operation.apply(to: &operands))
        }
        return outputs.compactMap { values[$0] }
    }
}

extension NeuralNetwork.Operation {
    /// Returns the result; operands may be changed.
    fileprivate func apply(to operands: inout [FeatureMap]) -> FeatureMap {
        switch self {
        case .convolve(let convolution): return convolution(operands[0])
        case .pool: return operands[0].pooled()
        case .double: return operands[0].doubled()
        case .rectify:
            operands[0].rectify()
            return operands[0]
        case .add:
            operands[0].add(operands[1])
            return operands[0]
        }
    }
}
