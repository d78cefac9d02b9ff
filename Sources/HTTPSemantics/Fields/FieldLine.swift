/// One field line of a message: its name as it came and its value, which need not be text (RFC 9110 §5.5).
package struct FieldLine: Hashable, Sendable {
    /// A token, spelled as it came.
    package let name: String
    /// The value without whitespace around it.
    package let value: [UInt8]
    /// The name in lower case: names are compared without case.
    package let key: String

    /// Creates a line; `nil` where the name is no token, or the value has a control character, which might begin another
    /// line.
    package init?(name: String, value: [UInt8]) {
        let isToken = !name.isEmpty && name.utf8.allSatisfy { FieldSyntax.isTokenCharacter($0) }
        guard isToken, value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return nil }
        self.init(sound: name, Self.trimmed(value[...]))
    }

    /// Creates a line of text; `nil` as above.
    package init?(_ name: String, _ value: String) { self.init(name: name, value: Array(value.utf8)) }

    /// Reads a line `Name: value` without its end; `nil` as above.
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

    /// The value as text; bytes that are no UTF-8 are replaced.
    package var text: String { String(decoding: value, as: UTF8.self) }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> [UInt8] {
        let start = value.firstIndex { !FieldSyntax.isWhitespace($0) } ?? value.endIndex
        let end = value.lastIndex { !FieldSyntax.isWhitespace($0) }.map { $0 + 1 } ?? start
        return Array(value[start..<end])
    }
}
