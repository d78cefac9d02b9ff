/// Reads JPEG 2000 headers: the size from the image header box, or a bare codestream's SIZ segment (ITU-T T.800 Annexes A, I).
enum JP2Header {
    private static let signature: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    private static let codestream: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

    static func matches(_ bytes: Span<UInt8>) -> Bool {
        bytes.has(bytes: signature, at: 0) || bytes.has(bytes: codestream, at: 0)
    }

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        if bytes.has(bytes: codestream, at: 0) {
            let right = try bytes.bigEndian(8, bytes: 4, of: total)
            let bottom = try bytes.bigEndian(12, bytes: 4, of: total)
            let left = try bytes.bigEndian(16, bytes: 4, of: total)
            let top = try bytes.bigEndian(20, bytes: 4, of: total)
            return try header(width: right - left, height: bottom - top)
        }
        // §I.5.3: `ihdr` is the first box in `jp2h`.
        var found: Range<Int>?
        try BoxWalk.children(bytes, of: total, in: 0..<total) { type, content in
            if type == BoxWalk.type("jp2h") { found = content }
            return found == nil
        }
        guard let found else { throw .malformed("the file has no jp2h box") }
        try bytes.require(found.lowerBound + 16, of: total)
        guard bytes.has("ihdr", at: found.lowerBound + 4) else { throw .malformed("jp2h does not begin with ihdr") }
        return try header(
            width: try bytes.bigEndian(found.lowerBound + 12, bytes: 4, of: total),
            height: try bytes.bigEndian(found.lowerBound + 8, bytes: 4, of: total)
        )
    }

    private static func header(width: Int, height: Int) throws(SniffStop) -> ImageHeader {
        guard width > 0, height > 0 else { throw .malformed("the size is out of range") }
        return ImageHeader(format: .jp2, width: width, height: height)
    }
}
