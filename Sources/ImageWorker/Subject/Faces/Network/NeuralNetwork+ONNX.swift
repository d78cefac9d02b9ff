extension NeuralNetwork {
    /// The most multiplications for a place of the picture; that of faces has 825.
    private static let highestCost = 8_000
    private static let mostChannels = 512
    private static let mostHalvings = 6

    /// Prepares what some outputs of a graph need.
    ///
    /// Sigmoids, and operations that change nothing but the order of the dimensions, are left out where they are the last ones.
    init(_ graph: ONNXGraph, outputs names: [String]) throws(FaceData.Malformed) {
        var builder = Builder(graph)
        guard graph.inputs.count == 1 else { throw FaceData.Malformed("has \(graph.inputs.count) inputs instead of 1") }
        var numbers: [Int] = []
        for name in names { numbers.append(try builder.value(builder.beforeEnd(name))) }
        var steps = builder.steps
        for (value, step) in builder.lastSteps where !numbers.contains(value) { steps[step].lastUses.insert(value) }
        guard builder.cost <= Double(Self.highestCost) else {
            throw FaceData.Malformed("takes \(Int(min(builder.cost, 1e15))) multiplications for a pixel")
        }
        self.init(
            steps: steps,
            outputs: numbers,
            shapes: numbers.map { builder.shapes[$0] },
            alignment: 1 << (builder.shapes.map(\.halvings).max() ?? 0)
        )
    }

    /// Follows a graph from its outputs to its input.
    private struct Builder {
        let graph: ONNXGraph
        /// The node that makes each value.
        let makers: [String: ONNXGraph.Node]
        var steps: [Step] = []
        var shapes: [Shape]
        /// The last step that needs each value.
        var lastSteps: [Int: Int] = [:]
        var cost = 0.0
        private var numbers: [String: Int] = [:]
        /// Values that are being made, to find a node that needs its own result.
        private var open: Set<String> = []

        init(_ graph: ONNXGraph) {
            self.graph = graph
            var makers: [String: ONNXGraph.Node] = [:]
            for node in graph.nodes { for output in node.outputs { makers[output] = node } }
            self.makers = makers
            shapes = [Shape(channels: 3, halvings: 0)]
            for input in graph.inputs { numbers[input] = 0 }
        }

        /// The value from which an output is made by operations that are left out at the end.
        func beforeEnd(_ name: String) -> String {
            var name = name
            for _ in 0..<4 {
                guard let node = makers[name], ["Sigmoid", "Reshape", "Transpose"].contains(node.operation),
                    let input = node.inputs.first
                else { break }
                name = input
            }
            return name
        }

        /// The number of a value; the steps that make it are added.
        mutating func value(_ name: String) throws(FaceData.Malformed) -> Int {
            if let number = numbers[name] { return number }
            guard let node = makers[name], open.insert(name).inserted else {
                throw FaceData.Malformed("lacks the value '\(name.prefix(40))'")
            }
            defer { open.remove(name) }
            var inputs: [Int] = []
            // Constants that say how follow the operands.
            for input in node.inputs.prefix(node.operation == "Add" ? 2 : 1) { inputs.append(try value(input)) }
            guard let first = inputs.first else { throw FaceData.Malformed("has a node without an input") }
            let own = shapes[first]
            let operation = try operation(of: node, own)
            var shape = own
            switch operation {
            case .convolve(let convolution):
                shape.channels = convolution.outputs
                shape.halvings += convolution.stride - 1
                cost += Double(convolution.cost) / Double(1 << (2 * shape.halvings))
            case .pool: shape.halvings += 1
            case .double: shape.halvings -= 1
            case .add:
                guard inputs.count == 2, shapes[inputs[1]] == own else {
                    throw FaceData.Malformed("adds values of different shapes")
                }
            case .rectify: break
            }
            guard 0...NeuralNetwork.mostHalvings ~= shape.halvings, shape.channels <= NeuralNetwork.mostChannels else {
                throw FaceData.Malformed("has values of a shape that is not supported")
            }
            for input in inputs { lastSteps[input] = steps.count }
            steps.append(Step(operation: operation, inputs: inputs))
            shapes.append(shape)
            numbers[name] = steps.count
            return steps.count
        }

        private func operation(
            of node: ONNXGraph.Node,
            _ shape: Shape
        ) throws(FaceData.Malformed) -> Operation {
            switch node.operation {
            case "Conv": return .convolve(try convolution(node, shape))
            case "Relu": return .rectify
            case "Add": return .add
            case "MaxPool":
                guard node.integers["kernel_shape"] == [2, 2], node.integers["strides"] == [2, 2],
                    node.integers["pads", default: []].allSatisfy({ $0 == 0 })
                else { throw FaceData.Malformed("pools other squares than 2 × 2") }
                return .pool
            case "Resize":
                let scales = node.inputs.count > 2 ? graph.constants[node.inputs[2]]?.values : nil
                guard node.texts["mode"] == "nearest", scales == [1, 1, 2, 2] else {
                    throw FaceData.Malformed("resizes otherwise than to twice the size")
                }
                return .double
            default: throw FaceData.Malformed("has the operation \(node.operation.prefix(40)), which is not supported")
            }
        }

        private func convolution(
            _ node: ONNXGraph.Node,
            _ shape: Shape
        ) throws(FaceData.Malformed) -> Convolution {
            let constants = node.inputs.dropFirst().map { graph.constants[$0] }
            let odd = FaceData.Malformed("has a convolution of a kind that is not supported")
            guard constants.count == 2, let kernel = constants[0], let weights = kernel.values,
                let bias = constants[1]?.values, kernel.shape.count == 4, kernel.shape[0] == bias.count,
                kernel.shape[2] == kernel.shape[3], [1, 3].contains(kernel.shape[2])
            else { throw odd }
            let side = kernel.shape[2]
            let strides = node.integers["strides", default: [1, 1]]
            let groups = node.integers["group", default: [1]]
            let isDepthwise = groups != [1]
            guard strides == [1, 1] || strides == [2, 2],
                node.integers["pads", default: [0, 0, 0, 0]] == Array(repeating: Int64(side / 2), count: 4),
                node.integers["dilations", default: [1, 1]] == [1, 1],
                kernel.shape[1] == (isDepthwise ? 1 : shape.channels),
                !isDepthwise || groups == [Int64(shape.channels)] && bias.count == shape.channels,
                1...NeuralNetwork.mostChannels ~= bias.count
            else { throw odd }
            return Convolution(
                side: side,
                stride: Int(strides[0]),
                inputs: shape.channels,
                isDepthwise: isDepthwise,
                weights: weights,
                bias: bias
            )
        }
    }
}
