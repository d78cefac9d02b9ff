/// A field line of a message: a name and a value, which need not be text (RFC 9110 §5.5).
package struct FieldLine: Hashable, Sendable {
    /// The name, a token, as received.
    package let name: String
    /// The value without surrounding white space.
    package let value: [UInt8]
    /// The name in lower case, for case-insensitive comparison.
    package let key: String

    /// Creates a line; `nil` if the name is not a token or the value has control characters, which could inject another line.
    package init?(name: String, value: [UInt8]) {
        guard FieldSyntax.isToken(name), value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return nil }
        self.init(sound: name, Self.trimmed(value[...]))
    }

    /// Creates a line from text; `nil` as above.
    package init?(_ name: String, _ value: String) { self.init(name: name, value: Array(value.utf8)) }

    /// Parses a line `Name: value` without its end; `nil` as above.
    package init?(line: some Collection<UInt8>) {
        let bytes = Array(line)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(name: String(decoding: bytes[..<colon], as: UTF8.self), value: Array(bytes[(colon + 1)...]))
    }

    private init(sound name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
        key = name.lowercased()
    }

    /// The value as text; invalid UTF-8 is replaced.
    package var text: String { String(decoding: value, as: UTF8.self) }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> [UInt8] {
        let start = value.firstIndex { !FieldSyntax.isWhitespace($0) } ?? value.endIndex
        let end = value.lastIndex { !FieldSyntax.isWhitespace($0) }.map { $0 + 1 } ?? start
        return Array(value[start..<end])
    }
}
