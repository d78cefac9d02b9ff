/// A picture shrunk to at most 100 × 100 pixels: what placeholders are computed from.
///
/// Upright sRGB with alpha, eight bits a channel, not premultiplied, rows from the top.
package struct TinyPicture: Hashable, Sendable {
    /// The longest side, in pixels (ThumbHash takes no larger one).
    package static let longestSide = 100

    /// Pixels, 1–100.
    package let width: Int
    package let height: Int
    /// Red, green, blue and alpha of each pixel.
    package let rgba: [UInt8]

    /// Takes pixels; `nil` where the sides are out of range, or the bytes are not theirs.
    package init?(width: Int, height: Int, rgba: [UInt8]) {
        let sides = 1...Self.longestSide
        guard sides.contains(width), sides.contains(height), rgba.count == width * height * 4 else { return nil }
        self.width = width
        self.height = height
        self.rgba = rgba
    }

    var pixelCount: Int { width * height }
}
