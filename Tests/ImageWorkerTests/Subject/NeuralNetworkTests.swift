import TestSupport
import Testing

@testable import ImageWorker

/// Networks that are written here, against sums that are written out.
@Suite(.timeLimit(.minutes(2)))
struct NeuralNetworkTests {
    /// Values by channel, row and column.
    private typealias Planes = [[[Float]]]

    private static func random(_ count: Int, _ seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
    }

    private static func planes(channels: Int, width: Int, height: Int) -> Planes {
        let values = random(channels * width * height, 1)
        return (0..<channels).map { c in
            (0..<height).map { y in (0..<width).map { x in values[(c * height + y) * width + x] } }
        }
    }

    private static func map(_ planes: Planes) -> FeatureMap {
        var map = FeatureMap(width: planes[0][0].count, height: planes[0].count, groups: (planes.count + 7) / 8)
        for (channel, rows) in planes.enumerated() {
            for (y, row) in rows.enumerated() {
                for (x, value) in row.enumerated() { map.values[map.index(x, y) + channel / 8][channel % 8] = value }
            }
        }
        return map
    }

    private static func planes(_ map: FeatureMap, _ channels: Int) -> Planes {
        (0..<channels).map { c in (0..<map.height).map { y in (0..<map.width).map { x in map[x, y, c] } } }
    }

    /// The convolution as ONNX defines it.
    private static func convolved(
        _ input: Planes,
        shape: [Int],
        _ weights: [Float],
        _ bias: [Float],
        stride: Int,
        isDepthwise: Bool
    ) -> Planes {
        let (width, height, side) = (input[0][0].count, input[0].count, shape[2])
        return (0..<shape[0]).map { output in
            Swift.stride(from: 0, to: height, by: stride).map { y in
                Swift.stride(from: 0, to: width, by: stride).map { x in
                    var sum = Double(bias[output])
                    for i in 0..<shape[1] {
                        for ky in 0..<side {
                            for kx in 0..<side {
                                let (py, px) = (y + ky - side / 2, x + kx - side / 2)
                                guard 0..<height ~= py, 0..<width ~= px else { continue }
                                let weight = weights[((output * shape[1] + i) * side + ky) * side + kx]
                                sum += Double(weight) * Double(input[isDepthwise ? output : i][py][px])
                            }
                        }
                    }
                    return Float(sum)
                }
            }
        }
    }

    private static func difference(_ one: Planes, _ other: Planes) -> Float {
        let (first, second) = (one.joined().joined(), other.joined().joined())
        guard Array(first).count == Array(second).count else { return .infinity }
        return zip(first, second).map { abs($0 - $1) }.max() ?? .infinity
    }

    @Test(arguments: [
        (3, 16, 3, 2, false), (3, 5, 1, 1, false), (3, 1, 3, 1, false), (3, 9, 1, 2, false), (3, 3, 3, 1, true),
        (3, 3, 3, 2, true), (3, 3, 1, 1, true),
    ])
    func `convolves as ONNX defines it`(inputs: Int, outputs: Int, side: Int, stride: Int, isDepthwise: Bool) throws {
        let shape = [outputs, isDepthwise ? 1 : inputs, side, side]
        let (weights, bias) = (Self.random(shape.reduce(1, *), 2), Self.random(outputs, 3))
        var writer = ONNXWriter()
        writer.convolve(
            "input",
            "out",
            shape: shape,
            weights,
            bias: bias,
            stride: stride,
            groups: isDepthwise ? inputs : 1
        )
        let network = try NeuralNetwork(ONNXGraph(parsing: writer.bytes), outputs: ["out"])
        // Rows of one to four places beside whole groups of four, and none.
        for width in stride...4 * stride where width % stride == 0 {
            let input = Self.planes(channels: inputs, width: 4 * stride + width, height: 6)
            let made = network(Self.map(input))[0]
            let expected = Self.convolved(
                input,
                shape: shape,
                weights,
                bias,
                stride: stride,
                isDepthwise: isDepthwise
            )
            #expect(Self.difference(Self.planes(made, outputs), expected) < 1e-5)
            #expect(made.width == 4 + width / stride && made.height == 6 / stride)
        }
    }

    /// Two convolutions of 12 channels, joined with their halved and doubled selves.
    private static let mixed: ONNXWriter = {
        var writer = ONNXWriter()
        writer.convolve("input", "a", shape: [12, 3, 1, 1], random(36, 4), bias: random(12, 5))
        writer.add("Relu", ["a"], "b")
        writer.add("MaxPool", ["b"], "c", ["kernel_shape": [2, 2], "strides": [2, 2], "pads": [0, 0, 0, 0]])
        writer.add("scales", [4], [1, 1, 2, 2])
        writer.add("Resize", ["c", "", "scales"], "d", texts: ["mode": "nearest"])
        writer.add("Add", ["a", "d"], "e")
        writer.add("Transpose", ["e"], "f", ["perm": [0, 2, 3, 1]])
        writer.add("Reshape", ["f", "shape"], "g")
        writer.add("Sigmoid", ["g"], "out")
        return writer
    }()

    @Test
    func `rectifies, pools, doubles and adds, and leaves out what follows`() throws {
        let input = Self.planes(channels: 3, width: 6, height: 4)
        let network = try NeuralNetwork(ONNXGraph(parsing: Self.mixed.bytes), outputs: ["out", "c"])
        #expect(network.shapes == [.init(channels: 12, halvings: 0), .init(channels: 12, halvings: 1)])
        #expect(network.alignment == 2)
        let made = network(Self.map(input))
        let a = Self.convolved(
            input,
            shape: [12, 3, 1, 1],
            Self.random(36, 4),
            Self.random(12, 5),
            stride: 1,
            isDepthwise: false
        )
        let c: Planes = a.map { plane in
            (0..<2).map { y in
                (0..<3).map { x in
                    let (above, below) = (plane[2 * y], plane[2 * y + 1])
                    return max(max(above[2 * x], above[2 * x + 1]), max(below[2 * x], below[2 * x + 1]), 0)
                }
            }
        }
        let e: Planes = zip(a, c).map { own, half in
            (0..<4).map { y in (0..<6).map { x in own[y][x] + half[y / 2][x / 2] } }
        }
        #expect(Self.difference(Self.planes(made[0], 12), e) < 1e-5)
        #expect(Self.difference(Self.planes(made[1], 12), c) < 1e-5)
    }

    /// A value that is needed again is not changed by the steps before.
    @Test
    func `keeps a value for all that need it`() throws {
        var writer = ONNXWriter()
        writer.convolve("input", "a", shape: [1, 3, 1, 1], [1, 0, 0], bias: [-1])
        writer.add("Relu", ["a"], "b")
        writer.add("Add", ["b", "a"], "c")
        writer.add("Add", ["c", "c"], "d")
        let network = try NeuralNetwork(ONNXGraph(parsing: writer.bytes), outputs: ["d", "a", "b"])
        let made = network(Self.map([[[3, 0]], [[9, 9]], [[9, 9]]]))
        #expect(made.map { [$0[0, 0, 0], $0[1, 0, 0]] } == [[8, -2], [2, -1], [2, 0]])
    }

    @Test
    func `says what is wrong with a network`() {
        func problem(_ change: (inout ONNXWriter) -> Void) -> String? {
            var writer = ONNXWriter()
            change(&writer)
            do throws(FaceData.Malformed) {
                _ = try NeuralNetwork(ONNXGraph(parsing: writer.bytes), outputs: ["out"])
                return nil
            } catch { return error.description }
        }
        #expect(problem { _ in } == "lacks the value 'out'")
        #expect(problem { $0.add("Softmax", ["input"], "out") } == "has the operation Softmax, which is not supported")
        #expect(problem { $0.add("Relu", ["out"], "out") } == "lacks the value 'out'", "needs itself")
        #expect(problem { $0.add("Relu", [], "out") } == "has a node without an input")
        #expect(
            problem { $0.convolve("input", "out", shape: [1, 2, 1, 1], [1, 1], bias: [0]) }?.contains("a kind") == true
        )
        #expect(
            problem { $0.convolve("input", "out", shape: [1, 3, 5, 5], .init(repeating: 1, count: 75), bias: [0]) }
                != nil
        )
        #expect(
            problem { $0.convolve("input", "out", shape: [1, 3, 1, 1], [1, 1], bias: [0]) }?.contains("shape") == true
        )
        #expect(problem { $0.convolve("input", "out", shape: [1, 3, 1, 1], [1, .nan, 1], bias: [0]) } != nil)
        #expect(
            problem {
                $0.add("MaxPool", ["input"], "half", ["kernel_shape": [2, 2], "strides": [2, 2]])
                $0.add("Add", ["input", "half"], "out")
            } == "adds values of different shapes"
        )
        #expect(
            problem {
                $0.add("scales", [4], [1, 1, 2, 2])
                $0.add("Resize", ["input", "", "scales"], "out", texts: ["mode": "nearest"])
            }?.contains("shape") == true,
            "larger than the picture"
        )
        #expect(
            problem {
                let names = ["input"] + (1...9).map { "v\($0)" } + ["out"]
                for (one, next) in zip(names, names.dropFirst()) {
                    let inputs = one == "input" ? 3 : 512
                    $0.convolve(
                        one,
                        next,
                        shape: [512, inputs, 1, 1],
                        .init(repeating: 0, count: 512 * inputs),
                        bias: .init(repeating: 0, count: 512)
                    )
                }
            }?.contains("multiplications") == true
        )
        #expect(throws: FaceData.Malformed("has no graph")) { try ONNXGraph(parsing: []) }
        #expect(throws: FaceData.Malformed("is not in the format of Protocol Buffers")) {
            try ONNXGraph(parsing: Array("<?xml version".utf8))
        }
    }

    @Test
    func `refuses every part of a network, and reads every other byte in its place without a trap`() {
        let bytes = Self.mixed.bytes
        for count in 0..<bytes.count {
            #expect(throws: FaceData.Malformed.self) { try ONNXGraph(parsing: Array(bytes[..<count])) }
        }
        var usable = 0
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, bytes[index] ^ 1, bytes[index] ^ 0x10] {
                var other = bytes
                other[index] = value
                guard let graph = try? ONNXGraph(parsing: other),
                    let network = try? NeuralNetwork(graph, outputs: ["out", "c"])
                else { continue }
                let side = network.alignment
                _ = network(FeatureMap(width: side, height: side, groups: 1))
                usable += 1
            }
        }
        #expect(usable > 0)
    }
}
