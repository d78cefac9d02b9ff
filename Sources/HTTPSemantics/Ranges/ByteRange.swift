/// A single byte range from a `Range` field (RFC 9110 §14.1.2).
///
/// A field with several ranges or another unit may be ignored (RFC 9110 §14.2), and is: parsing returns `nil`.
package enum ByteRange: Hashable, Sendable {
    /// `first-`: from an offset to the end.
    case from(Int)
    /// `first-last`: both inclusive, first ≤ last.
    case closed(Int, Int)
    /// `-length`: the last bytes.
    case suffix(Int)

    /// A range resolved against a representation of a known length.
    package enum Resolution: Hashable, Sendable {
        /// Respond 206 with these offsets; never empty.
        case satisfiable(Range<Int>)
        /// Respond 416.
        case unsatisfiable
    }

    /// Parses a field value; `nil` if it is to be ignored.
    package init?(_ bytes: Span<UInt8>) {
        var position = 0
        // RFC 9110 §14.1: unit names are case-insensitive.
        guard let unit = FieldSyntax.token(bytes, &position), FieldSyntax.equals(bytes, unit, "bytes"),
            position < bytes.count, bytes[position] == UInt8(ascii: "=")
        else { return nil }
        position += 1
        FieldSyntax.skipListSeparators(bytes, &position)
        guard let range = ByteRange.spec(bytes, &position) else { return nil }
        FieldSyntax.skipListSeparators(bytes, &position)
        guard position == bytes.count else { return nil }
        self = range
    }

    /// As `init(_:)`, from text.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    /// Resolves the range against a representation of `length` bytes (RFC 9110 §14.1.2).
    package func resolve(length: Int) -> Resolution {
        switch self {
        case .from(let first): first < length ? .satisfiable(first..<length) : .unsatisfiable
        case .closed(let first, let last):
            first < length ? .satisfiable(first..<min(last, length - 1) + 1) : .unsatisfiable
        case .suffix(let count):
            count > 0 && length > 0 ? .satisfiable(max(0, length - count)..<length) : .unsatisfiable
        }
    }

    /// The value of `Content-Range` for a 206 (RFC 9110 §14.4).
    package static func contentRange(_ range: Range<Int>, of length: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
    }

    /// The value of `Content-Range` for a 416 (RFC 9110 §15.5.17).
    package static func contentRange(unsatisfiedOf length: Int) -> String {
        "bytes */\(length)"
    }

    /// Parses `first-last`, `first-` or `-length`.
    private static func spec(_ bytes: Span<UInt8>, _ position: inout Int) -> ByteRange? {
        let first = number(bytes, &position)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "-") else { return nil }
        position += 1
        let last = number(bytes, &position)
        guard
            position == bytes.count || bytes[position] == UInt8(ascii: ",") || FieldSyntax.isWhitespace(bytes[position])
        else { return nil }
        switch (first, last) {
        case (let first?, let last?): return first <= last ? .closed(first, last) : nil
        case (let first?, nil): return .from(first)
        case (nil, let count?): return .suffix(count)
        case (nil, nil): return nil
        }
    }

    /// Parses digits; larger numbers are clamped to the largest possible one.
    private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Int? {
        let start = position
        while position < bytes.count, FieldSyntax.digit(bytes[position]) != nil { position += 1 }
        return FieldSyntax.number(bytes, start..<position, ceiling: Int64.max - 1).map(Int.init)
    }
}
