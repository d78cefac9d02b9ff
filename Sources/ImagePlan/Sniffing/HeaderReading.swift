extension Span where Element == UInt8 {
    /// Checks that the bytes up to `end` are available; `total` is the length of the file, or the end of a box that is available.
    func require(_ end: Int, of total: Int) throws(SniffStop) {
        guard end <= total else { throw .malformed("the file is truncated in its header") }
        guard end <= count else { throw .needsMore(end) }
    }

    /// The byte at an offset.
    func byte(_ offset: Int, of total: Int) throws(SniffStop) -> Int {
        try require(offset + 1, of: total)
        return Int(self[offset])
    }

    /// Up to seven bytes, most significant first.
    func bigEndian(_ offset: Int, bytes: Int, of total: Int) throws(SniffStop) -> Int {
        try require(offset + bytes, of: total)
        var value = 0
        for index in offset..<offset + bytes { value = value << 8 | Int(self[index]) }
        return value
    }

    /// Up to seven bytes, least significant first.
    func littleEndian(_ offset: Int, bytes: Int, of total: Int) throws(SniffStop) -> Int {
        try require(offset + bytes, of: total)
        var value = 0
        for index in (offset..<offset + bytes).reversed() { value = value << 8 | Int(self[index]) }
        return value
    }

    /// Whether ASCII text is found at an offset; `false` if it exceeds the available bytes.
    func has(_ text: String, at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, count - offset >= text.utf8.count else { return false }
        var index = offset
        for character in text.utf8 {
            guard self[index] == character else { return false }
            index += 1
        }
        return true
    }

    /// Whether bytes are found at an offset; `false` if they exceed the available bytes.
    func has(bytes: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, count - offset >= bytes.count else { return false }
        for index in bytes.indices {
            guard self[offset + index] == bytes[index] else { return false }
        }
        return true
    }
}

/// The reason a header reader stops early.
enum SniffStop: Error, Hashable {
    /// The file continues, but the available bytes end before this offset.
    case needsMore(Int)
    /// The file violates its format; the text says how.
    case malformed(String)
    /// The file has the structure of an image format but is no image for a decoder of it.
    case notAnImage
}
