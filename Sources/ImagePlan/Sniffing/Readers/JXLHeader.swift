/// Reads JPEG XL headers: the size from a bare codestream or the one in a container (ISO/IEC 18181-1 §9, 18181-2 §9).
enum JXLHeader {
    private static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]

    static func matches(_ bytes: Span<UInt8>) -> Bool {
        bytes.has(bytes: [0xFF, 0x0A], at: 0) || bytes.has(bytes: signature, at: 0)
    }

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        if bytes.has(bytes: [0xFF, 0x0A], at: 0) { return try codestream(bytes, of: total, at: 0) }
        var found: Int?
        try BoxWalk.children(bytes, of: total, in: 0..<total) { type, content in
            switch type {
            case BoxWalk.type("jxlc"): found = content.lowerBound
            // A partial codestream starts with its index.
            case BoxWalk.type("jxlp"): found = content.lowerBound + 4
            default: break
            }
            return found == nil
        }
        guard let found else { throw .malformed("the container has no codestream") }
        return try codestream(bytes, of: total, at: found)
    }

    private static func codestream(
        _ bytes: Span<UInt8>,
        of total: Int,
        at offset: Int
    ) throws(SniffStop) -> ImageHeader {
        try bytes.require(offset + 2, of: total)
        guard bytes.has(bytes: [0xFF, 0x0A], at: offset) else {
            throw .malformed("the codestream's signature is missing")
        }
        var bits = Bits(position: (offset + 2) * 8, total: total)
        // SizeHeader: small sizes are multiples of eight; a ratio may replace the width.
        let isSmall = try bits.read(1, bytes) == 1
        let height = isSmall ? (try bits.read(5, bytes) + 1) * 8 : try bits.readSize(bytes)
        let ratio = try bits.read(3, bytes)
        let width: Int =
            switch ratio {
            case 0: isSmall ? (try bits.read(5, bytes) + 1) * 8 : try bits.readSize(bytes)
            case 1: height
            case 2: height * 12 / 10
            case 3: height * 4 / 3
            case 4: height * 3 / 2
            case 5: height * 16 / 9
            case 6: height * 5 / 4
            default: height * 2
            }
        return ImageHeader(format: .jxl, width: width, height: height)
    }

    /// A bit reader, least significant bit first.
    private struct Bits {
        var position: Int
        let total: Int

        mutating func read(_ count: Int, _ bytes: borrowing Span<UInt8>) throws(SniffStop) -> Int {
            var value = 0
            for index in 0..<count {
                value |= (try bytes.byte(position / 8, of: total) >> (position % 8) & 1) << index
                position += 1
            }
            return value
        }

        /// U32(9, 13, 18, 30 bits) + 1.
        mutating func readSize(_ bytes: borrowing Span<UInt8>) throws(SniffStop) -> Int {
            let widths = [9, 13, 18, 30]
            let selector = try read(2, bytes)
            return try read(widths[selector], bytes) + 1
        }
    }
}
