/// Reduces a lossy WebP still to its pixels (RFC 9649 §2).
///
/// libvips' WebP saver adds an EXIF block of 200 bytes to every file.
package enum BareWebP {
    /// Removes all chunks except colour and alpha; `nil` if the bytes are not a lossy WebP still.
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
            // Chunks of odd length are padded.
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
            // Clear all flags except alpha (§2.7).
            canvas[8] = 0x10
            chunks = canvas + alpha + colour
        }
        let size = 4 + chunks.count
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + Array("WEBP".utf8)
            + chunks
    }
}
