/// The position of a part within the complete representation, from the `Content-Range` of a 206 (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// The offsets of the part in bytes; never empty, and within the complete length.
    package let range: Range<Int>
    /// The length of the complete representation in bytes.
    package let length: Int

    /// Parses a field value such as `bytes 0-499/1234`.
    ///
    /// Returns `nil` if the value is invalid, has another unit, or states no range (`*/1234`) or no complete length (`0-499/*`).
    package init?(_ bytes: Span<UInt8>) {
        var position = 0
        guard let unit = FieldSyntax.token(bytes, &position), FieldSyntax.equals(bytes, unit, "bytes"),
            Self.skip(UInt8(ascii: " "), bytes, &position), let first = Self.number(bytes, &position),
            Self.skip(UInt8(ascii: "-"), bytes, &position), let last = Self.number(bytes, &position),
            Self.skip(UInt8(ascii: "/"), bytes, &position), let length = Self.number(bytes, &position),
            position == bytes.count, first <= last, last < length
        else { return nil }
        range = first..<last + 1
        self.length = length
    }

    /// As `init(_:)`, from text.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    private static func skip(_ byte: UInt8, _ bytes: Span<UInt8>, _ position: inout Int) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Parses up to 18 digits, so that no sum overflows.
    private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Int? {
        let start = position
        var number = 0
        while position < bytes.count, let digit = FieldSyntax.digit(bytes[position]) {
            guard position - start < 18 else { return nil }
            number = number * 10 + Int(digit)
            position += 1
        }
        return position > start ? number : nil
    }
}
