/// Reads fields of a worker message one after the other; never past the end.
struct MessageReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    /// Reads from the first byte on.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Bytes that have not been read.
    var remaining: Int { bytes.count - position }

    /// Reads an integer, little endian.
    mutating func read<Integer: FixedWidthInteger & UnsignedInteger>(
        _ type: Integer.Type
    ) throws(WorkerMessageError) -> Integer {
        let size = Integer.bitWidth / 8
        guard remaining >= size else { throw .length }
        var value: Integer = 0
        for index in 0..<size {
            value |= Integer(bytes[position + index]) << Integer(index * 8)
        }
        position += size
        return value
    }

    /// Reads an integer that must lie within a range; `field` names it in the error.
    mutating func read<Integer: FixedWidthInteger & UnsignedInteger>(
        _ type: Integer.Type,
        in range: ClosedRange<Int>,
        _ field: StaticString
    ) throws(WorkerMessageError) -> Int {
        guard let value = try Int(exactly: read(type)), range.contains(value) else { throw .field(field.description) }
        return value
    }

    /// Reads a one-byte enumeration.
    mutating func read<Value: RawRepresentable<UInt8>>(
        _ type: Value.Type,
        _ field: StaticString
    ) throws(WorkerMessageError) -> Value {
        guard let value = try Value(rawValue: read(UInt8.self)) else { throw .field(field.description) }
        return value
    }

    /// Reads a text after its 16-bit length: valid UTF-8 without control characters.
    mutating func readText(maximum: Int, _ field: StaticString) throws(WorkerMessageError) -> String {
        let count = try read(UInt16.self, in: 0...maximum, field)
        let range = try take(count)
        guard let text = String(validating: bytes[range], as: UTF8.self) else { throw .field(field.description) }
        guard text.unicodeScalars.allSatisfy({ !$0.isControl }) else { throw .field(field.description) }
        return text
    }

    /// Passes over `count` bytes and tells where they are.
    mutating func take(_ count: Int) throws(WorkerMessageError) -> Range<Int> {
        guard count >= 0, remaining >= count else { throw .length }
        defer { position += count }
        return position..<position + count
    }
}

extension Unicode.Scalar {
    /// Whether this is a C0 or C1 control character or DEL.
    var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }
}
