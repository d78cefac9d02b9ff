extension Span where Element == UInt8 {
    /// The byte at an offset of a whole file.
    func byte(_ offset: Int) throws(MetadataCleaner.Stop) -> UInt8 {
        guard offset >= 0, offset < count else { throw .broken("the file ends early") }
        return self[offset]
    }

    /// A range of a whole file, from an offset on.
    func range(_ offset: Int, count length: Int) throws(MetadataCleaner.Stop) -> Range<Int> {
        guard offset >= 0, length >= 0, offset <= count, count - offset >= length else {
            throw .broken("the file ends early")
        }
        return offset..<offset + length
    }

    /// Up to four bytes, most significant first.
    func bigEndian(_ offset: Int, bytes: Int) throws(MetadataCleaner.Stop) -> Int {
        var value = 0
        for index in try range(offset, count: bytes) { value = value << 8 | Int(self[index]) }
        return value
    }

    /// Up to four bytes, least significant first.
    func littleEndian(_ offset: Int, bytes: Int) throws(MetadataCleaner.Stop) -> Int {
        var value = 0
        for index in try range(offset, count: bytes).reversed() { value = value << 8 | Int(self[index]) }
        return value
    }
}

extension [UInt8] {
    /// Appends a range of a file, which lies within it.
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        for index in range { append(bytes[index]) }
    }

    /// Appends a number as four bytes, most significant first.
    mutating func append(bigEndian value: Int) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends a number as four bytes, least significant first.
    mutating func append(littleEndian value: Int) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Puts a number at an offset that exists, as four bytes, least significant first.
    mutating func put(littleEndian value: Int, at offset: Int) {
        for (index, shift) in [0, 8, 16, 24].enumerated() {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }
}
