/// Reads PNG and APNG headers: size, colour type, transparency, orientation and frame count (W3C PNG, third edition).
enum PNGHeader {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The maximum number of chunks before the first IDAT.
    private static let maximumChunks = 4096
    /// The largest length and size (PNG §5.3: 31 bits).
    private static let largest = 0x7FFF_FFFF
    /// The maximum number of frames of a valid animation.
    static let maximumFrames = 100_000

    static func read(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        var header = try imageHeader(bytes, of: total)
        var offset = signature.count + 12 + 13
        var controls: [Int?] = []
        for _ in 0..<maximumChunks {
            let length = try bytes.bigEndian(offset, bytes: 4, of: total)
            guard length <= largest else { throw .malformed("a chunk's length is out of range") }
            let data = offset + 8
            try bytes.require(data, of: total)
            if bytes.has("IDAT", at: offset + 4) {
                // §4.9: an invalid animation is shown as a still, by decoders as well.
                if controls.count == 1, let frames = controls[0] { header.frames = frames }
                return header
            }
            if bytes.has("IEND", at: offset + 4) { break }
            if bytes.has("tRNS", at: offset + 4) {
                header.hasAlpha = true
            } else if bytes.has("acTL", at: offset + 4) {
                controls.append(try frameCount(bytes, at: offset, length: length, of: total))
            } else if bytes.has("eXIf", at: offset + 4) {
                try bytes.require(data + length, of: total)
                header.orientation = ExifOrientation.read(bytes, in: data..<data + length)
            }
            offset = data + length + 4
        }
        throw .malformed("the file has no image data")
    }

    /// The number of frames in an animation control chunk (§11.3.6.1); `nil` if it is invalid.
    private static func frameCount(
        _ bytes: Span<UInt8>,
        at offset: Int,
        length: Int,
        of total: Int
    ) throws(SniffStop) -> Int? {
        guard length == 8 else { return nil }
        let frames = try bytes.bigEndian(offset + 8, bytes: 4, of: total)
        let checksum = try bytes.bigEndian(offset + 16, bytes: 4, of: total)
        let isWhole = checksum == CRC32.checksum(of: bytes, in: offset + 4..<offset + 16)
        return isWhole && (1...maximumFrames).contains(frames) ? frames : nil
    }

    private static func imageHeader(_ bytes: Span<UInt8>, of total: Int) throws(SniffStop) -> ImageHeader {
        let start = signature.count
        guard try bytes.bigEndian(start, bytes: 4, of: total) == 13, bytes.has("IHDR", at: start + 4) else {
            throw .malformed("the first chunk is not IHDR")
        }
        let width = try bytes.bigEndian(start + 8, bytes: 4, of: total)
        let height = try bytes.bigEndian(start + 12, bytes: 4, of: total)
        let depth = try bytes.byte(start + 16, of: total)
        let colorType = try bytes.byte(start + 17, of: total)
        let checksum = try bytes.bigEndian(start + 21, bytes: 4, of: total)
        guard checksum == CRC32.checksum(of: bytes, in: start + 4..<start + 21) else {
            throw .malformed("the checksum of IHDR is wrong")
        }
        guard (1...largest).contains(width), (1...largest).contains(height) else {
            throw .malformed("the size is out of range")
        }
        guard isAllowed(depth: depth, colorType: colorType) else {
            throw .malformed("the combination of colour type and bit depth is invalid")
        }
        return ImageHeader(format: .png, width: width, height: height, hasAlpha: colorType == 4 || colorType == 6)
    }

    /// PNG §11.2.1, table 11.1.
    private static func isAllowed(depth: Int, colorType: Int) -> Bool {
        switch colorType {
        case 0: [1, 2, 4, 8, 16].contains(depth)
        case 3: [1, 2, 4, 8].contains(depth)
        case 2, 4, 6: depth == 8 || depth == 16
        default: false
        }
    }
}

/// The checksum of PNG chunks (ISO 3309, reflected polynomial EDB88320), for small inputs.
enum CRC32 {
    /// Computes the checksum of available bytes.
    static func checksum(of bytes: Span<UInt8>, in range: Range<Int>) -> Int {
        var remainder: UInt32 = 0xFFFF_FFFF
        for index in range {
            remainder ^= UInt32(bytes[index])
            for _ in 0..<8 {
                remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
            }
        }
        return Int(~remainder)
    }
}
