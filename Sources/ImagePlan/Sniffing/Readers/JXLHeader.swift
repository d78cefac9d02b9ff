/// Reads JPEG XL headers: size and animation from a bare codestream or the one in a container (ISO/IEC 18181-1 §9, 18181-2 §9).
///
/// The number of frames is not in the header: it is 2, a lower bound, for an animation.
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
        let size = try bits.readDimensions(bytes)
        let frames = isAnimated(&bits, bytes) ? 2 : 1
        return ImageHeader(format: .jxl, width: size.width, height: size.height, frames: frames)
    }

    /// Whether the ImageMetadata bundle after the size announces an animation; `false` if it is truncated.
    private static func isAnimated(_ bits: inout Bits, _ bytes: borrowing Span<UInt8>) -> Bool {
        do throws(SniffStop) {
            // all_default, extra_fields.
            guard try bits.read(1, bytes) == 0, try bits.read(1, bytes) == 1 else { return false }
            // The orientation.
            _ = try bits.read(3, bytes)
            // have_intrinsic_size
            if try bits.read(1, bytes) == 1 { _ = try bits.readDimensions(bytes) }
            // have_preview
            if try bits.read(1, bytes) == 1 { try bits.skipPreview(bytes) }
            // have_animation
            return try bits.read(1, bytes) == 1
        } catch {
            return false
        }
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

        /// SizeHeader: small sizes are multiples of eight; a ratio may replace the width.
        mutating func readDimensions(_ bytes: borrowing Span<UInt8>) throws(SniffStop) -> PixelSize {
            let isSmall = try read(1, bytes) == 1
            let height = isSmall ? (try read(5, bytes) + 1) * 8 : try readSize(bytes)
            let ratio = try read(3, bytes)
            let width: Int =
                switch ratio {
                case 0: isSmall ? (try read(5, bytes) + 1) * 8 : try readSize(bytes)
                case 1: height
                case 2: height * 12 / 10
                case 3: height * 4 / 3
                case 4: height * 3 / 2
                case 5: height * 16 / 9
                case 6: height * 5 / 4
                default: height * 2
                }
            return PixelSize(width: width, height: height)
        }

        /// PreviewHeader: sides in blocks of eight or in pixels; a ratio may replace the width.
        mutating func skipPreview(_ bytes: borrowing Span<UInt8>) throws(SniffStop) {
            let isInBlocks = try read(1, bytes) == 1
            let widths = isInBlocks ? [0, 0, 5, 9] : [6, 8, 10, 12]
            _ = try read(widths[try read(2, bytes)], bytes)
            guard try read(3, bytes) == 0 else { return }
            _ = try read(widths[try read(2, bytes)], bytes)
        }

        /// U32(9, 13, 18, 30 bits) + 1.
        mutating func readSize(_ bytes: borrowing Span<UInt8>) throws(SniffStop) -> Int {
            let widths = [9, 13, 18, 30]
            let selector = try read(2, bytes)
            return try read(widths[selector], bytes) + 1
        }
    }
}
