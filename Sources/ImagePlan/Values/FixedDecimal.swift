/// A decimal number with six places, which has exactly one canonical text, unlike a binary floating-point number.
package struct FixedDecimal: Hashable, Sendable, Comparable {
    /// The number times a million.
    package let millionths: Int

    /// The maximum number of digits before the point; keeps every product with a dpr far from overflow.
    private static let longestWhole = 9

    /// Creates a number from millionths.
    package init(millionths: Int) {
        self.millionths = millionths
    }

    /// Creates a number from an integer.
    package init(_ whole: Int) {
        millionths = whole * 1_000_000
    }

    /// Parses `-12.345`, `.5` or `007`; `nil` for anything else, such as a plus sign, exponents, spaces, `nan` or `5.`.
    ///
    /// The sixth decimal place is rounded half up by the seventh; the others are dropped.
    package init?(parsing text: String) {
        var bytes = text.utf8[...]
        guard text.utf8.count <= 64 else { return nil }
        let negative = bytes.first == UInt8(ascii: "-")
        if negative { bytes.removeFirst() }
        let whole = bytes.prefix { Self.isDigit($0) }
        bytes = bytes.dropFirst(whole.count)
        var decimals = bytes[bytes.endIndex...]
        if bytes.first == UInt8(ascii: ".") {
            decimals = bytes.dropFirst().prefix { Self.isDigit($0) }
            guard !decimals.isEmpty else { return nil }
            bytes = bytes.dropFirst(1 + decimals.count)
        }
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        guard bytes.isEmpty, !(whole.isEmpty && decimals.isEmpty), significant.count <= Self.longestWhole else {
            return nil
        }
        var magnitude = significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } * 1_000_000
        var unit = 100_000
        for digit in decimals.prefix(6) {
            magnitude += Int(digit - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        if let seventh = decimals.dropFirst(6).first, seventh >= UInt8(ascii: "5") { magnitude += 1 }
        millionths = negative ? -magnitude : magnitude
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    package var value: Double { Double(millionths) / 1_000_000 }

    /// The number as an integer; `nil` if it has a fraction.
    package var whole: Int? { millionths.isMultiple(of: 1_000_000) ? millionths / 1_000_000 : nil }

    /// The nearest integer, halves away from zero.
    package var rounded: Int {
        let magnitude = (Int(millionths.magnitude) + 500_000) / 1_000_000
        return millionths < 0 ? -magnitude : magnitude
    }

    /// The shortest text: no leading or trailing zeros, no point after an integer, never `-0`.
    package var text: String {
        let magnitude = Int(millionths.magnitude)
        var text = "\(millionths < 0 ? "-" : "")\(magnitude / 1_000_000)"
        var fraction = magnitude % 1_000_000
        guard fraction != 0 else { return text }
        var digits = 6
        while fraction.isMultiple(of: 10) {
            fraction /= 10
            digits -= 1
        }
        let decimals = String(fraction)
        text += "." + String(repeating: "0", count: digits - decimals.utf8.count) + decimals
        return text
    }

    package static func < (left: FixedDecimal, right: FixedDecimal) -> Bool { left.millionths < right.millionths }

    /// The product of two non-negative numbers, rounded half up in the last place.
    package static func * (left: FixedDecimal, right: FixedDecimal) -> FixedDecimal {
        FixedDecimal(millionths: (left.millionths * right.millionths + 500_000) / 1_000_000)
    }
}
