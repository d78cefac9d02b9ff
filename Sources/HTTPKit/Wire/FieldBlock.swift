/// Encoded response fields: any number of `Name: value` CRLF lines.
///
/// Encoded once and shared by every response with the same fields. Only valid names and values are accepted, so untrusted values
/// cannot inject fields or responses.
package struct FieldBlock: Hashable, Sendable {
    /// The encoded lines, for `Response.fields` or `Response.dynamicFields`.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty block.
    package init() {}

    /// Creates a block from fields; invalid ones are left out.
    package init(_ fields: KeyValuePairs<StaticString, String>) {
        for (name, value) in fields { append(name, value) }
    }

    /// Appends a line.
    ///
    /// - Returns: false, without appending anything, if the name is not a token, the value contains CR, LF, NUL or another control
    ///   character (RFC 9110 §5.5), or the server itself writes the field.
    @discardableResult
    package mutating func append(_ name: String, _ value: String) -> Bool {
        append(name: Array(name.utf8), value: Array(value.utf8))
    }

    /// Appends a line with a constant name.
    ///
    /// - Returns: as `append(name:value:)`.
    @discardableResult
    package mutating func append(_ name: StaticString, _ value: String) -> Bool { append(name.description, value) }

    /// Appends a line from bytes; white space around the value is removed.
    ///
    /// - Returns: false, without appending anything, if name or value is invalid, or the server itself writes the field.
    @discardableResult
    package mutating func append(name: [UInt8], value: [UInt8]) -> Bool {
        let nameSpan = name.span
        let valueSpan = value.span
        guard !name.isEmpty, name.allSatisfy({ ByteClass.isToken($0) }), !Self.isReserved(nameSpan),
            valueSpan.isFieldValue(0..<value.count)
        else { return false }
        bytes += name
        bytes += [0x3A, 0x20]
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = value.firstIndex { !isSpace($0) } ?? value.count
        let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        bytes += value[start..<end]
        bytes += [0x0D, 0x0A]
        return true
    }

    /// Encodes a `Date` line for `Response.date`; `nil` if the value is invalid.
    package static func date(_ value: [UInt8]) -> [UInt8]? {
        guard !value.isEmpty, value.span.isFieldValue(0..<value.count) else { return nil }
        return Array("Date: ".utf8) + value + [0x0D, 0x0A]
    }

    /// Whether the server writes the field itself: the date and the fields that frame a message.
    private static func isReserved(_ name: Span<UInt8>) -> Bool {
        let all = 0..<name.count
        return name.equalsIgnoringCase(all, "content-length") || name.equalsIgnoringCase(all, "transfer-encoding")
            || name.equalsIgnoringCase(all, "connection") || name.equalsIgnoringCase(all, "date")
            || name.equalsIgnoringCase(all, "keep-alive")
    }
}
