import CZlib

/// One complete chunk of a PNG with a valid checksum (§5.3).
struct PNGChunk {
    /// The four-letter name.
    let name: String
    /// The range of the content in the file.
    let content: Range<Int>
    /// The range of the chunk, from its length to its checksum.
    var whole: Range<Int> { content.lowerBound - 8..<content.upperBound + 4 }

    /// The bytes of length, name and checksum.
    private static let overhead = 12

    /// Reads the chunk at an offset.
    ///
    /// - Throws: `AnimatedPNG.Malformed` without a valid chunk.
    init(_ bytes: Span<UInt8>, at position: Int) throws(AnimatedPNG.Malformed) {
        guard bytes.count - position >= Self.overhead else {
            throw AnimatedPNG.Malformed(reason: "the file ends early")
        }
        let length = bytes.word(position)
        guard length <= bytes.count - position - Self.overhead else {
            throw AnimatedPNG.Malformed(reason: "a chunk exceeds the file")
        }
        content = position + 8..<position + 8 + length
        let named = position + 4..<content.upperBound
        let checksum = unsafe bytes.extracting(named).withUnsafeBufferPointer { part in
            unsafe crc32_z(0, part.baseAddress, part.count)
        }
        guard Int(checksum) == bytes.word(content.upperBound) else {
            throw AnimatedPNG.Malformed(reason: "a chunk's checksum is wrong")
        }
        name = String(decoding: (position + 4..<position + 8).map { bytes[$0] }, as: UTF8.self)
    }

    /// Returns a chunk's bytes.
    static func encoded(_ name: String, _ content: some Sequence<UInt8>) -> [UInt8] {
        let body = Array(name.utf8) + content
        let checksum = unsafe crc32_z(0, body, body.count)
        return word(body.count - 4) + body + word(Int(checksum))
    }

    /// Returns four bytes, most significant first.
    static func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
}

extension Span<UInt8> {
    /// Reads four bytes, most significant first; the range must be valid.
    func word(_ start: Int) -> Int { half(start) << 16 | half(start + 2) }

    /// Reads two bytes, most significant first; the range must be valid.
    func half(_ start: Int) -> Int { Int(self[start]) << 8 | Int(self[start + 1]) }

    /// Whether the bytes start with a prefix.
    func begins(with bytes: [UInt8]) -> Bool {
        count >= bytes.count && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
    }
}
