/// GIF: frames, their control blocks, the loop count and an ICC profile stay (GIF89a §§17–27).
enum GIFCleaner {
    /// Application extensions that are about showing the picture.
    private static let keptApplications = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]

    static func clean(_ bytes: Span<UInt8>) throws(MetadataCleaner.Stop) -> [UInt8] {
        guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) else { throw .broken("no GIF begins so") }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var position = 13 + colorTableBytes(try bytes.byte(10))
        output.append(bytes, try bytes.range(0, count: position))
        var hasFrame = false
        while true {
            let start = position
            switch try bytes.byte(position) {
            case 0x21:
                position = try endOfSubBlocks(bytes, from: position + 2)
                if isKept(bytes, start) { output.append(bytes, start..<position) }
            case 0x2C:
                // The descriptor, its colour table, and the code size before the data.
                position = try endOfSubBlocks(
                    bytes,
                    from: position + 11 + colorTableBytes(try bytes.byte(position + 9))
                )
                output.append(bytes, start..<position)
                hasFrame = true
            case 0x3B:
                guard hasFrame else { throw .broken("there is no frame") }
                return output + [0x3B]
            default: throw .broken("a block is of no known kind")
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

    /// Whether an extension is kept: graphic control blocks, and few applications.
    private static func isKept(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        if bytes.has(bytes: [0xF9], at: start + 1) { return true }
        guard bytes.has(bytes: [0xFF, 11], at: start + 1) else { return false }
        return keptApplications.contains { bytes.has($0, at: start + 3) }
    }
}
