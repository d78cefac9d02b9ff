/// Appends the fields of a worker message to its bytes.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends an integer, little endian.
    mutating func write<Integer: FixedWidthInteger & UnsignedInteger>(_ value: Integer) {
        for index in 0..<Integer.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: value >> Integer(index * 8)))
        }
    }

    /// Appends bytes unchanged.
    mutating func write(raw: some Sequence<UInt8>) {
        bytes.append(contentsOf: raw)
    }

    /// Overwrites a 32-bit integer that was written at an offset.
    mutating func patch(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(index * 8))
        }
    }
}

/// Reads the fields of a worker message in order and never past its end.
struct MessageReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    /// Starts at the first byte.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The number of unread bytes.
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

    /// Reads `count` bytes of UTF-8; `nil` where they are invalid.
    mutating func readText(count: Int) throws(WorkerMessageError) -> String? {
        try String(utf8: bytes[take(count)])
    }

    /// Skips the next byte if it has a value.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard remaining > 0, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips `count` bytes and returns their range.
    mutating func take(_ count: Int) throws(WorkerMessageError) -> Range<Int> {
        guard count >= 0, remaining >= count else { throw .length }
        defer { position += count }
        return position..<position + count
    }

    /// Requires that every byte was read.
    func finish() throws(WorkerMessageError) {
        guard remaining == 0 else { throw .length }
    }
}

extension Unicode.Scalar {
    /// Whether this is a C0 or C1 control character or DEL.
    var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }
}
