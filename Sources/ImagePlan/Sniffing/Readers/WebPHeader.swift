/// Reads WebP headers: size, alpha, frames and orientation from the container and the bitstreams (RFC 9649 §2, RFC 6386 §9.1).
enum WebPHeader {
    /// The number of chunks after which reading stops.
    private static let maximumChunks = 100_000

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        let end = min(total, 8 + (try bytes.littleEndian(4, bytes: 4, of: total)))
        try bytes.require(20, of: end)
        if bytes.has("VP8X", at: 12) { return try extended(bytes, of: total, end: end) }
        if bytes.has("VP8L", at: 12) { return try lossless(bytes, of: total) }
        if bytes.has("VP8 ", at: 12) { return try lossy(bytes, of: total) }
        throw .malformed("the first chunk is not a WebP chunk")
    }

    private static func lossy(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        try bytes.require(30, of: total)
        // RFC 6386 §9.1: only a key frame has a size, after its start code.
        guard bytes[20] & 1 == 0, bytes.has(bytes: [0x9D, 0x01, 0x2A], at: 23) else {
            throw .malformed("the VP8 frame is not a key frame")
        }
        let width = try bytes.littleEndian(26, bytes: 2, of: total) & 0x3FFF
        let height = try bytes.littleEndian(28, bytes: 2, of: total) & 0x3FFF
        guard width > 0, height > 0 else { throw .malformed("the size is zero") }
        return ImageHeader(format: .webp, width: width, height: height, hasAlpha: false)
    }

    private static func lossless(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        // RFC 9649 §3.4: signature, 14 bits width − 1, 14 bits height − 1, alpha, version.
        guard try bytes.byte(20, of: total) == 0x2F else { throw .malformed("the VP8L signature is missing") }
        let bits = try bytes.littleEndian(21, bytes: 4, of: total)
        return ImageHeader(
            format: .webp,
            width: bits & 0x3FFF + 1,
            height: bits >> 14 & 0x3FFF + 1,
            hasAlpha: bits >> 28 & 1 == 1
        )
    }

    private static func extended(_ bytes: Span<UInt8>, of total: Int, end: Int) throws(SniffStop) -> ImageHeader {
        let flags = try bytes.byte(20, of: total)
        var header = ImageHeader(
            format: .webp,
            width: try bytes.littleEndian(24, bytes: 3, of: total) + 1,
            height: try bytes.littleEndian(27, bytes: 3, of: total) + 1,
            hasAlpha: flags & 0x10 != 0
        )
        let isAnimated = flags & 0x02 != 0
        let hasExif = flags & 0x08 != 0
        guard isAnimated || hasExif else { return header }
        var frames = 0
        var offset = 12
        for _ in 0..<maximumChunks where offset + 8 <= end {
            let length = try bytes.littleEndian(offset + 4, bytes: 4, of: total)
            if bytes.has("ANMF", at: offset) {
                frames += 1
            } else if hasExif, bytes.has("EXIF", at: offset), offset + 8 + length <= end {
                try bytes.require(offset + 8 + length, of: total)
                header.orientation = orientation(bytes, in: offset + 8..<offset + 8 + length)
                if !isAnimated { break }
            }
            // RFC 9649 §2.3: an odd chunk is padded.
            offset += 8 + length + length & 1
        }
        if isAnimated { header.frames = max(1, frames) }
        return header
    }

    /// Reads the orientation; some encoders prefix the block with JPEG's `Exif\0\0`.
    private static func orientation(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int {
        let prefixed = bytes.has(bytes: [0x45, 0x78, 0x69, 0x66, 0, 0], at: range.lowerBound) && range.count >= 6
        return ExifOrientation.read(bytes, in: prefixed ? range.lowerBound + 6..<range.upperBound : range)
    }
}
