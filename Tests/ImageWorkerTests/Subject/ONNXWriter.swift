/// Writes networks in the format of ONNX (`onnx.proto`), as tests need them.
struct ONNXWriter {
    private var graph: [UInt8] = []
    /// The whole model.
    var bytes: [UInt8] { Self.field(7, graph) }

    init(input: String = "input") { graph = Self.field(11, Self.field(1, Array(input.utf8))) }

    /// Adds an operation; numbers are attributes.
    mutating func add(
        _ operation: String,
        _ inputs: [String],
        _ output: String,
        _ integers: [String: [Int]] = [:],
        texts: [String: String] = [:]
    ) {
        var node = inputs.flatMap { Self.field(1, Array($0.utf8)) } + Self.field(2, Array(output.utf8))
        node += Self.field(4, Array(operation.utf8))
        for (name, values) in integers {
            // A single number is no list.
            let list =
                values.count == 1 ? [3 << 3] + Self.varint(values[0]) : Self.field(8, values.flatMap(Self.varint))
            node += Self.field(5, Self.field(1, Array(name.utf8)) + list)
        }
        for (name, text) in texts {
            node += Self.field(5, Self.field(1, Array(name.utf8)) + Self.field(4, Array(text.utf8)))
        }
        graph += Self.field(1, node)
    }

    /// Adds a constant of 32-bit floating point numbers.
    mutating func add(_ name: String, _ shape: [Int], _ values: [Float]) {
        let raw: [UInt8] = values.flatMap { value -> [UInt8] in
            (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) }
        }
        let dimensions: [UInt8] = shape.flatMap { [1 << 3] + Self.varint($0) }
        graph += Self.field(5, dimensions + [2 << 3, 1] + Self.field(8, Array(name.utf8)) + Self.field(9, raw))
    }

    /// Adds a convolution with its constants.
    mutating func convolve(
        _ input: String,
        _ output: String,
        shape: [Int],
        _ weights: [Float],
        bias: [Float],
        stride: Int = 1,
        groups: Int = 1
    ) {
        add("\(output).w", shape, weights)
        add("\(output).b", [bias.count], bias)
        add(
            "Conv",
            [input, "\(output).w", "\(output).b"],
            output,
            [
                "strides": [stride, stride], "group": [groups], "kernel_shape": [shape[2], shape[3]],
                "pads": Array(repeating: shape[2] / 2, count: 4), "dilations": [1, 1],
            ]
        )
    }

    private static func varint(_ value: Int) -> [UInt8] {
        var (rest, bytes) = (UInt64(bitPattern: Int64(value)), [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(bytes.count) + bytes
    }
}
