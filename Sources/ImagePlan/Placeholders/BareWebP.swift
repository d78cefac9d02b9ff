/// A lossy WebP still without anything but its pixels (RFC 9649 §2).
///
/// libvips' saver puts an EXIF block of 200 bytes into every file.
package enum BareWebP {
    /// The same picture with no chunk but those of colour and alpha; `nil` where the bytes are no such file.
    package static func strip(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)), Array(bytes[8..<12]) == Array("WEBP".utf8)
        else {
            return nil
        }
        var canvas: [UInt8]?
        var alpha: [UInt8]?
        var colour: [UInt8]?
        var start = 12
        while bytes.count - start >= 8 {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[start + 4 + $1]) << (8 * $1) }
            // A chunk of odd length has a byte behind it that does not count.
            let end = start + 8 + length + length % 2
            guard end <= bytes.count else { return nil }
            let chunk = Array(bytes[start..<end])
            switch String(decoding: chunk.prefix(4), as: UTF8.self) {
            case "VP8X" where length == 10: canvas = chunk
            case "ALPH": alpha = chunk
            case "VP8 ": colour = chunk
            default: break
            }
            start = end
        }
        guard let colour else { return nil }
        var chunks = colour
        if let alpha {
            guard var canvas else { return nil }
            // Of the flags only that there is alpha (§2.7).
            canvas[8] = 0x10
            chunks = canvas + alpha + colour
        }
        let size = 4 + chunks.count
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + Array("WEBP".utf8)
            + chunks
    }
}
