/// An image of one colour, encoded without pixels.
///
/// It takes some forty bytes as WebP, and for each megapixel about a kilobyte as PNG and six as JPEG.
///
/// Own encoders, because the daemon links no image library, and a placeholder must not wait for a worker.
package struct PlainPicture: Hashable, Sendable {
    /// The formats that it can be encoded in.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case png, webp, jpeg

        /// The media type for `Content-Type`.
        package var mediaType: String { "image/\(rawValue)" }
    }

    /// The longest side in pixels, which every format can have.
    package static let longestSide = 16_383

    package let size: PixelSize
    package let color: Color

    /// Creates an image; sides are limited to 1–16383 pixels.
    package init(size: PixelSize, color: Color) {
        let sides = 1...Self.longestSide
        self.size = PixelSize(
            width: min(max(size.width, sides.lowerBound), sides.upperBound),
            height: min(max(size.height, sides.lowerBound), sides.upperBound)
        )
        self.color = color
    }

    /// The encoded image; JPEG has no transparency, and shows the colour on white.
    package func encoded(as format: Format) -> [UInt8] {
        switch format {
        case .png: PNGWriter.plain(self)
        case .webp: lossless
        case .jpeg: PlainJPEG(self).bytes
        }
    }

    /// A WebP lossless stream (RFC 9649 §3) whose five prefix codes have one symbol each, so that pixels take no bits.
    private var lossless: [UInt8] {
        var bits = BitWriter()
        bits.append(0x2F, count: 8)
        bits.append(size.width - 1, count: 14)
        bits.append(size.height - 1, count: 14)
        bits.append(color.isOpaque ? 0 : 1, count: 1)
        // Version 0, no transform, no colour cache, one group of prefix codes.
        bits.append(0, count: 3 + 1 + 1 + 1)
        for symbol in [color.green, color.red, color.blue, color.alpha, 0] {
            // A simple code of one symbol, which has 8 bits.
            bits.append(0b101, count: 3)
            bits.append(Int(symbol), count: 8)
        }
        let stream = bits.bytes
        let padding = stream.count % 2
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        return Array("RIFF".utf8) + number(4 + 8 + stream.count + padding) + Array("WEBPVP8L".utf8)
            + number(stream.count)
            + stream + [UInt8](repeating: 0, count: padding)
    }
}

/// Packs numbers into bytes, the lowest bit first (as WebP and deflate do).
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    /// Appends the lowest `count` bits of a number.
    mutating func append(_ value: Int, count: Int) {
        for index in 0..<count {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= UInt8(value >> index & 1) << UInt8(used)
            used += 1
        }
    }

    /// Appends a prefix code, whose bits are stored from the highest on (RFC 1951 §3.1.1).
    mutating func appendCode(_ code: Int, count: Int) {
        for index in (0..<count).reversed() { append(code >> index & 1, count: 1) }
    }
}
