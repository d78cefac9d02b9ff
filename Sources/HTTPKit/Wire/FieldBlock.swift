/// Response fields as they go onto the wire: `Name: value` CRLF, any number of them.
///
/// Encoded once, then shared by every response that carries the same fields. Only valid names and values get in, so no
/// value from outside can begin a field, or an answer, of its own.
package struct FieldBlock: Hashable, Sendable {
    /// The encoded lines, for `Response.fields` or `Response.dynamicFields`.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty block.
    package init() {}

    /// Creates a block of lines; those that are not valid are left out, as with `append`.
    package init(_ fields: KeyValuePairs<StaticString, String>) {
        for (name, value) in fields { append(name, value) }
    }

    /// Appends a line.
    ///
    /// - Returns: false, and nothing is appended, when the name is no token or the value holds CR, LF, NUL or another
    ///   control character (RFC 9110 §5.5), or when the server itself writes this field.
    @discardableResult
    package mutating func append(_ name: String, _ value: String) -> Bool {
        append(name: Array(name.utf8), value: Array(value.utf8))
    }

    /// Appends a line whose name is known when the program is written.
    ///
    /// - Returns: as `append(name:value:)`.
    @discardableResult
    package mutating func append(_ name: StaticString, _ value: String) -> Bool { append(name.description, value) }

    /// Appends a line with a number as its value.
    ///
    /// - Returns: as `append(name:value:)`.
    @discardableResult
    package mutating func append(_ name: StaticString, _ value: Int64) -> Bool { append(name.description, "\(value)") }

    /// Appends a line, in bytes; white space around the value is dropped.
    ///
    /// - Returns: false, and nothing is appended, when name or value are not valid, or the server writes the field.
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

    /// A line of `Date` for `Response.date`; `nil` where the value is not valid.
    package static func date(_ value: [UInt8]) -> [UInt8]? {
        guard !value.isEmpty, value.span.isFieldValue(0..<value.count) else { return nil }
        return Array("Date: ".utf8) + value + [0x0D, 0x0A]
    }

    /// Whether there are no lines.
    package var isEmpty: Bool { bytes.isEmpty }

    /// The fields that frame a message, and the date: the connection writes them.
    private static func isReserved(_ name: Span<UInt8>) -> Bool {
        let all = 0..<name.count
        return name.equalsIgnoringCase(all, "content-length") || name.equalsIgnoringCase(all, "transfer-encoding")
            || name.equalsIgnoringCase(all, "connection") || name.equalsIgnoringCase(all, "date")
            || name.equalsIgnoringCase(all, "keep-alive")
    }
}
