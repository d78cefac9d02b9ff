extension Span where Element == UInt8 {
    /// Makes sure that bytes up to `end` are at hand; `total` is the file's length.
    func require(_ end: Int, of total: Int) throws(SniffStop) {
        if end <= count { return }
        guard end <= total else { throw .malformed("the file ends inside of its header") }
        throw .needsMore(end)
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

    /// Whether ASCII characters stand at an offset; `false` where the bytes at hand end before.
    func has(_ text: String, at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, count - offset >= text.utf8.count else { return false }
        var index = offset
        for character in text.utf8 {
            guard self[index] == character else { return false }
            index += 1
        }
        return true
    }

    /// Whether these bytes stand at an offset; `false` where the bytes at hand end before.
    func has(bytes: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= count, count - offset >= bytes.count else { return false }
        for index in bytes.indices {
            guard self[offset + index] == bytes[index] else { return false }
        }
        return true
    }
}

/// Why a header reader stops before it knows everything.
enum SniffStop: Error, Hashable {
    /// The file goes on, but the bytes at hand end before this offset.
    case needsMore(Int)
    /// What breaks the format's rules.
    case malformed(String)
}
