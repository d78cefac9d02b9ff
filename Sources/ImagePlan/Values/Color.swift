/// An sRGB colour with alpha, 8 bits per channel.
package struct Color: Hashable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8
    /// 0 is transparent, 255 opaque; not premultiplied.
    package let alpha: UInt8

    /// Creates a colour, opaque by default.
    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    package static let white = Color(red: 255, green: 255, blue: 255)
    package static let black = Color(red: 0, green: 0, blue: 0)

    package var isOpaque: Bool { alpha == 255 }

    /// Parses `rgb`, `rrggbb` or `rrggbbaa` in hexadecimal digits, with an optional leading `#`.
    package init(parsing parameter: Parameter) throws(RequestError) {
        var digits = Array(parameter.value.utf8)
        if digits.first == UInt8(ascii: "#") { digits.removeFirst() }
        var nibbles: [UInt8] = []
        for digit in digits.prefix(9) {
            guard let nibble = digit.hexadecimalValue else { throw Self.error(parameter) }
            nibbles.append(nibble)
        }
        switch nibbles.count {
        case 3:
            self.init(red: nibbles[0] * 17, green: nibbles[1] * 17, blue: nibbles[2] * 17)
        case 6, 8:
            self.init(
                red: nibbles[0] << 4 | nibbles[1],
                green: nibbles[2] << 4 | nibbles[3],
                blue: nibbles[4] << 4 | nibbles[5],
                alpha: nibbles.count == 8 ? nibbles[6] << 4 | nibbles[7] : 255
            )
        default:
            throw Self.error(parameter)
        }
    }

    private static func error(_ parameter: Parameter) -> RequestError {
        parameter.error("must be a colour as rgb, rrggbb or rrggbbaa in hexadecimal digits")
    }

    /// `rrggbb`, or `rrggbbaa` if the colour is not opaque.
    package var text: String {
        var bytes: [UInt8] = []
        for byte in [red, green, blue, alpha].prefix(isOpaque ? 3 : 4) {
            bytes.append(UInt8.lowercaseHexadecimalDigit(byte >> 4))
            bytes.append(UInt8.lowercaseHexadecimalDigit(byte & 15))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
