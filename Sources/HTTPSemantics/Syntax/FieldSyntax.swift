/// Parsers for the common lexical elements of header fields (RFC 9110 §5.6), from bytes and without building strings.
///
/// Positions are indices into the given span; each function advances `position` past what it has consumed.
package enum FieldSyntax {
    /// Whether a text is a token (RFC 9110 §5.6.2).
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isTokenCharacter($0) }
    }

    /// Whether a byte is a `tchar` (RFC 9110 §5.6.2).
    @inline(__always)
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether a byte is optional white space (RFC 9110 §5.6.3).
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Skips optional white space.
    static func skipWhitespace(_ bytes: Span<UInt8>, _ position: inout Int) {
        while position < bytes.count, isWhitespace(bytes[position]) { position += 1 }
    }

    /// Skips white space, commas and empty list members (RFC 9110 §5.6.1.2).
    static func skipListSeparators(_ bytes: Span<UInt8>, _ position: inout Int) {
        while position < bytes.count, isWhitespace(bytes[position]) || bytes[position] == UInt8(ascii: ",") {
            position += 1
        }
    }

    /// Skips to the next comma or the end, whatever precedes it.
    static func skipToComma(_ bytes: Span<UInt8>, _ position: inout Int) {
        while position < bytes.count, bytes[position] != UInt8(ascii: ",") { position += 1 }
    }

    /// Parses a token; `nil` if there is none.
    static func token(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        let start = position
        while position < bytes.count, isTokenCharacter(bytes[position]) { position += 1 }
        return position > start ? start..<position : nil
    }

    /// Parses a quoted string (RFC 9110 §5.6.4) and returns the range between the quotes, including escapes.
    ///
    /// - Returns: `nil`, without moving `position`, if there is no closing quote.
    static func quotedString(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        var index = position + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                defer { position = index + 1 }
                return position + 1..<index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// Whether a range of the bytes equals `lowercase`, ignoring the case of ASCII letters.
    static func equals(_ bytes: Span<UInt8>, _ range: Range<Int>, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        return lowercase.withUTF8Buffer { expected in
            for index in 0..<range.count where unsafe lower(bytes[range.lowerBound + index]) != expected[index] {
                return false
            }
            return true
        }
    }

    /// The lower-case form of an ASCII letter; any other byte unchanged.
    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The value of a decimal digit.
    @inline(__always)
    static func digit(_ byte: UInt8) -> Int64? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int64(byte - UInt8(ascii: "0")) : nil
    }

    /// Parses one or more decimal digits as a number clamped to `ceiling`; `nil` for anything else.
    static func number(_ bytes: Span<UInt8>, _ range: Range<Int>, ceiling: Int64) -> Int64? {
        guard !range.isEmpty else { return nil }
        var value: Int64 = 0
        for index in range {
            guard let digit = digit(bytes[index]) else { return nil }
            value = value > (ceiling - digit) / 10 ? ceiling : value * 10 + digit
        }
        return value
    }

    /// A range of the bytes as text, with ASCII letters in lower case.
    static func lowercased(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for index in range { copy.append(lower(bytes[index])) }
        return String(decoding: copy, as: UTF8.self)
    }
}
