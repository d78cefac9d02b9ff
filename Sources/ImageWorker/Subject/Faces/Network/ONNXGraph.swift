/// The nodes and constants of a neural network in the format of ONNX (`onnx.proto`), by their names.
struct ONNXGraph {
    struct Node {
        var operation = ""
        var inputs: [String] = []
        var outputs: [String] = []
        /// Lists of whole numbers, and single ones as lists of one.
        var integers: [String: [Int64]] = [:]
        var texts: [String: String] = [:]
    }

    struct Constant {
        var shape: [Int] = []
        /// The values; `nil` if they are no 32-bit floating point numbers.
        var values: [Float]?
    }

    var nodes: [Node] = []
    var constants: [String: Constant] = [:]
    /// The inputs that are no constants.
    var inputs: [String] = []

    /// The most nodes; the network of faces has 106.
    private static let mostNodes = 1_000

    /// Parses a model.
    init(parsing bytes: [UInt8]) throws(FaceData.Malformed) {
        var hasGraph = false
        var model = ProtobufReader(bytes[...])
        while let field = try model.next() {
            guard field.number == 7, case .bytes(let graph) = field.value else { continue }
            try read(graph)
            hasGraph = true
        }
        guard hasGraph else { throw FaceData.Malformed("has no graph") }
        inputs.removeAll { constants[$0] != nil }
    }

    private mutating func read(_ graph: ArraySlice<UInt8>) throws(FaceData.Malformed) {
        var reader = ProtobufReader(graph)
        while let field = try reader.next() {
            guard case .bytes(let bytes) = field.value else { continue }
            switch field.number {
            case 1:
                guard nodes.count < Self.mostNodes else { throw FaceData.Malformed("has too many nodes") }
                nodes.append(try Self.node(bytes))
            case 5:
                let (name, constant) = try Self.constant(bytes)
                constants[name] = constant
            case 11: inputs.append(try Self.name(bytes))
            default: break
            }
        }
    }

    private static func node(_ bytes: ArraySlice<UInt8>) throws(FaceData.Malformed) -> Node {
        var (reader, node) = (ProtobufReader(bytes), Node())
        while let field = try reader.next() {
            guard case .bytes(let bytes) = field.value else { continue }
            switch field.number {
            case 1: node.inputs.append(text(bytes))
            case 2: node.outputs.append(text(bytes))
            case 4: node.operation = text(bytes)
            case 5: try read(attribute: bytes, of: &node)
            default: break
            }
        }
        return node
    }

    private static func read(attribute: ArraySlice<UInt8>, of node: inout Node) throws(FaceData.Malformed) {
        var reader = ProtobufReader(attribute)
        var (name, word, numbers) = ("", String?.none, [Int64]())
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): name = text(bytes)
            case (3, .varint(let number)), (8, .varint(let number)): numbers.append(Int64(bitPattern: number))
            case (8, .bytes(let bytes)): numbers += try ProtobufReader.varints(bytes)
            case (4, .bytes(let bytes)): word = text(bytes)
            default: break
            }
        }
        node.integers[name] = numbers
        node.texts[name] = word
    }

    private static func constant(
        _ bytes: ArraySlice<UInt8>
    ) throws(FaceData.Malformed) -> (name: String, constant: Constant) {
        var (reader, name, constant) = (ProtobufReader(bytes), "", Constant())
        var (type, dimensions, values) = (UInt64(0), [Int64](), [Float]())
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let dimension)): dimensions.append(Int64(bitPattern: dimension))
            case (1, .bytes(let bytes)): dimensions += try ProtobufReader.varints(bytes)
            case (2, .varint(let number)): type = number
            case (4, .bytes(let bytes)), (9, .bytes(let bytes)): values += try ProtobufReader.floats(bytes)
            case (8, .bytes(let bytes)): name = text(bytes)
            default: break
            }
        }
        constant.shape = dimensions.map { Int(clamping: $0) }
        if type == 1 {
            let count = constant.shape.reduce(1) { $0.multipliedReportingOverflow(by: max(0, $1)).partialValue }
            guard values.count == count, values.allSatisfy(\.isFinite) else {
                throw FaceData.Malformed("has a constant whose values do not fit its shape")
            }
            constant.values = values
        }
        return (name, constant)
    }

    private static func name(_ bytes: ArraySlice<UInt8>) throws(FaceData.Malformed) -> String {
        var reader = ProtobufReader(bytes)
        while let field = try reader.next() {
            if field.number == 1, case .bytes(let bytes) = field.value { return text(bytes) }
        }
        return ""
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
