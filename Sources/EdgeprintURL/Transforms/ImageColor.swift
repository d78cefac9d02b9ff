/// An sRGB colour with alpha, 8 bits per channel.
public struct ImageColor: Hashable, Sendable {
    /// 0–255.
    public var red: UInt8
    /// 0–255.
    public var green: UInt8
    /// 0–255.
    public var blue: UInt8
    /// 0 is transparent, 255 opaque; not premultiplied.
    public var alpha: UInt8

    /// Creates a colour, opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Creates an opaque colour from a number such as `0xFF8800`; bits above the 24th are ignored.
    public init(rgb: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: rgb >> 16),
            green: UInt8(truncatingIfNeeded: rgb >> 8),
            blue: UInt8(truncatingIfNeeded: rgb)
        )
    }

    /// Opaque black.
    public static let black = ImageColor(rgb: 0)
    /// Opaque white.
    public static let white = ImageColor(rgb: 0xFFFFFF)

    /// `rrggbb`, or `rrggbbaa` if the colour is not opaque.
    var text: String {
        let digits = Array("0123456789abcdef")
        let bytes = [red, green, blue, alpha].prefix(alpha == 255 ? 3 : 4)
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
