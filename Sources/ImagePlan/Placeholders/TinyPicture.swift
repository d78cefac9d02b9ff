/// An image reduced to at most 100 × 100 pixels, from which placeholders are computed.
///
/// Upright sRGB with alpha, 8 bits per channel, not premultiplied, rows from the top.
package struct TinyPicture: Hashable, Sendable {
    /// The longest side in pixels (ThumbHash accepts no more).
    package static let longestSide = 100

    /// The sides in pixels, 1–100.
    package let width: Int
    package let height: Int
    /// Red, green, blue and alpha of each pixel.
    package let rgba: [UInt8]

    /// Creates an image from pixels; `nil` if a side is out of range or the number of bytes does not match.
    package init?(width: Int, height: Int, rgba: [UInt8]) {
        let sides = 1...Self.longestSide
        guard sides.contains(width), sides.contains(height), rgba.count == width * height * 4 else { return nil }
        self.width = width
        self.height = height
        self.rgba = rgba
    }

    var pixelCount: Int { width * height }

    /// The image with each pixel repeated until no side is shorter than `side`, within the limits.
    ///
    /// On fewer pixels, high components alias and would show as stripes.
    func repeated(untilAtLeast side: Int) -> TinyPicture {
        let across = (side + width - 1) / width
        let down = (side + height - 1) / height
        guard across > 1 || down > 1 else { return self }
        var larger: [UInt8] = []
        larger.reserveCapacity(rgba.count * across * down)
        for y in 0..<height * down {
            for x in 0..<width * across {
                let start = (y / down * width + x / across) * 4
                larger += rgba[start..<start + 4]
            }
        }
        return TinyPicture(width: width * across, height: height * down, rgba: larger) ?? self
    }
}
