/// Writes the fields of a worker message one after the other.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends an integer, little endian.
    mutating func write<Integer: FixedWidthInteger & UnsignedInteger>(_ value: Integer) {
        for index in 0..<Integer.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: value >> Integer(index * 8)))
        }
    }

    /// Appends a text of at most 65,535 bytes after its 16-bit length.
    mutating func write(text: String) {
        precondition(text.utf8.count <= UInt16.max)
        write(UInt16(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends bytes as they are.
    mutating func write(raw: [UInt8]) {
        bytes.append(contentsOf: raw)
    }

    /// Overwrites an integer that has been written before.
    mutating func patch(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(index * 8))
        }
    }
}
