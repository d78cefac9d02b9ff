/// Cleans PNG files: keeps the chunks that affect pixels, colours, print size and animation (PNG, third edition, §11).
enum PNGCleaner {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static let largest = 1 << 31 - 1

    /// The chunks to keep, with their valid lengths: a longer one could carry other data.
    private static let kept: [(name: String, lengths: ClosedRange<Int>)] = [
        ("IHDR", 13...13), ("PLTE", 3...768), ("IDAT", 0...largest), ("IEND", 0...0), ("tRNS", 1...256),
        ("gAMA", 4...4),
        ("cHRM", 32...32), ("sRGB", 1...1), ("iCCP", 0...largest), ("cICP", 4...4), ("mDCV", 24...24), ("cLLI", 8...8),
        ("sBIT", 1...4), ("bKGD", 1...6), ("hIST", 2...512), ("pHYs", 9...9), ("acTL", 8...8), ("fcTL", 26...26),
        ("fdAT", 4...largest),
    ]

    static func clean(_ bytes: Span<UInt8>, orientation: Int) throws(MetadataCleaner.Stop) -> [UInt8] {
        guard bytes.has(bytes: signature, at: 0) else { throw .broken("the file does not start like a PNG") }
        var output = signature
        output.reserveCapacity(bytes.count)
        var isTurned = orientation == 1
        var hasData = false
        var position = signature.count
        while true {
            let length = try bytes.bigEndian(position, bytes: 4)
            // §5.3: lengths are below 2^31.
            guard length <= largest else { throw .broken("a chunk is longer than PNG allows") }
            let chunk = try bytes.range(position, count: length + 12)
            let kind = kept.first { bytes.has($0.name, at: position + 4) }
            let name = kind?.lengths.contains(length) == true ? kind?.name : nil
            if name == "IDAT", !isTurned {
                output += orientationChunk(orientation)
                isTurned = true
            }
            if name != nil {
                output.append(bytes, chunk)
            } else if bytes[position + 4] & 0x20 == 0 {
                throw .broken("a critical chunk is unknown")
            }
            if name == "IDAT" { hasData = true }
            if name == "IEND" { break }
            position = chunk.upperBound
        }
        guard hasData else { throw .broken("the file has no image data") }
        return output
    }

    private static func orientationChunk(_ orientation: Int) -> [UInt8] {
        let block = MetadataCleaner.orientationBlock(orientation)
        // An array has a span only from macOS 26 and iOS 26 on.
        let body = ContiguousArray("eXIf".utf8) + block
        var chunk: [UInt8] = []
        chunk.append(bigEndian: block.count)
        chunk += body
        chunk.append(bigEndian: CRC32.checksum(of: body.span, in: 0..<body.count))
        return chunk
    }
}
