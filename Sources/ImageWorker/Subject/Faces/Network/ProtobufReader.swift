/// Reads the fields of a Protocol Buffers message (protobuf.dev, "Encoding").
struct ProtobufReader {
    /// A field's number and value.
    struct Field {
        var number: Int
        var value: Value
    }

    enum Value {
        case varint(UInt64)
        case fixed32(UInt32)
        case fixed64(UInt64)
        /// A text, bytes, an embedded message or packed numbers.
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next field; `nil` at the end.
    mutating func next() throws(FaceData.Malformed) -> Field? {
        if rest.isEmpty { return nil }
        let tag = try varint()
        guard let number = Int(exactly: tag >> 3), number > 0 else { throw Self.odd }
        switch tag & 7 {
        case 0: return Field(number: number, value: .varint(try varint()))
        case 1: return Field(number: number, value: .fixed64(Self.integer(try bytes(8))))
        case 2:
            guard let count = Int(exactly: try varint()) else { throw Self.odd }
            return Field(number: number, value: .bytes(try bytes(count)))
        case 5: return Field(number: number, value: .fixed32(Self.integer(try bytes(4))))
        // Groups, which are not used any more.
        default: throw Self.odd
        }
    }

    /// Returns all numbers of a field of packed varints.
    static func varints(_ bytes: ArraySlice<UInt8>) throws(FaceData.Malformed) -> [Int64] {
        var (reader, numbers) = (ProtobufReader(bytes), [Int64]())
        while !reader.rest.isEmpty { numbers.append(Int64(bitPattern: try reader.varint())) }
        return numbers
    }

    /// Returns numbers that follow each other in memory, least significant byte first.
    static func floats(_ bytes: ArraySlice<UInt8>) throws(FaceData.Malformed) -> [Float] {
        guard bytes.count % 4 == 0 else { throw odd }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map {
            Float(bitPattern: integer(bytes[$0..<$0 + 4]))
        }
    }

    private static let odd = FaceData.Malformed("is not in the format of Protocol Buffers")

    private mutating func varint() throws(FaceData.Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = rest.popFirst() else { throw Self.odd }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        throw Self.odd
    }

    private mutating func bytes(_ count: Int) throws(FaceData.Malformed) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.odd }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func integer<Value: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Value {
        bytes.reversed().reduce(0) { $0 << 8 | Value($1) }
    }
}
