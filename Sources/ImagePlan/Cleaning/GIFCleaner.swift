/// Cleans GIF files: keeps frames, graphic control blocks, the loop count and an ICC profile (GIF89a §§17–27).
enum GIFCleaner {
    /// Application extensions that affect playback.
    private static let loops = ["NETSCAPE2.0", "ANIMEXTS1.0"]
    private static let profile = "ICCRGBG1012"

    static func clean(_ bytes: Span<UInt8>) throws(MetadataCleaner.Stop) -> [UInt8] {
        guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) else {
            throw .broken("the file does not start like a GIF")
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var position = 13 + colorTableBytes(try bytes.byte(10))
        output.append(bytes, try bytes.range(0, count: position))
        var hasFrame = false
        while true {
            let start = position
            // Many encoders omit the trailer: accept the end of the file after a whole frame.
            if position == bytes.count, hasFrame { return output + [0x3B] }
            switch try bytes.byte(position) {
            case 0x21:
                position = try endOfSubBlocks(bytes, from: position + 2)
                appendExtension(bytes, start..<position, to: &output)
            case 0x2C:
                // The image descriptor, its colour table, and the LZW code size before the data.
                position = try endOfSubBlocks(
                    bytes,
                    from: position + 11 + colorTableBytes(try bytes.byte(position + 9))
                )
                output.append(bytes, start..<position)
                hasFrame = true
            case 0x3B:
                guard hasFrame else { throw .broken("the file has no frame") }
                return output + [0x3B]
            default: throw .broken("a block has an unknown type")
            }
        }
    }

    private static func colorTableBytes(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    private static func endOfSubBlocks(_ bytes: Span<UInt8>, from start: Int) throws(MetadataCleaner.Stop) -> Int {
        var position = start
        while true {
            let length = Int(try bytes.byte(position))
            position += 1 + length
            if length == 0 { return position }
        }
    }

    /// Keeps graphic control blocks, the loop count and an ICC profile, with no sub-blocks beyond those they define.
    private static func appendExtension(_ bytes: Span<UInt8>, _ block: Range<Int>, to output: inout [UInt8]) {
        let start = block.lowerBound
        if bytes.has(bytes: [0xF9, 4], at: start + 1), block.count == 8 { output.append(bytes, block) }
        guard bytes.has(bytes: [0xFF, 11], at: start + 1) else { return }
        if bytes.has(profile, at: start + 3) { output.append(bytes, block) }
        if loops.contains(where: { bytes.has($0, at: start + 3) }), bytes.has(bytes: [3, 1], at: start + 14) {
            output.append(bytes, start..<start + 18)
            output.append(0)
        }
    }
}
