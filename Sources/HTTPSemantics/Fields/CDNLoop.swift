/// The intermediaries a request has passed, from its `CDN-Loop` field (RFC 8586 §2).
///
/// The field is untrusted, so it is parsed strictly, and the forwarded value is rebuilt from the parsed parts.
package struct CDNLoop: Hashable, Sendable {
    /// The maximum number of names; more count as a loop.
    package static let maximumNames = 8
    /// The longest value in bytes; a longer one counts as a loop.
    package static let maximumLength = 256

    /// Whether the value exceeds one of the limits.
    package private(set) var isExcessive = false
    /// The value to forward: tokens with their ports, and parameters whose values are tokens; empty if there are none.
    package private(set) var text = ""
    /// The names of all members in lower case, including members too malformed to forward.
    private var names: Set<String> = []

    /// Parses a field value, with several lines joined by commas.
    package init(_ value: [UInt8]) {
        guard value.count <= Self.maximumLength else {
            isExcessive = true
            return
        }
        let bytes = value.span
        var position = 0
        var members = 0
        var sound: [String] = []
        while true {
            FieldSyntax.skipListSeparators(bytes, &position)
            guard position < bytes.count else { break }
            members += 1
            if let name = Self.name(bytes, &position) {
                names.insert(FieldSyntax.lowercased(bytes, name))
                if let parameters = Self.parameters(bytes, &position) {
                    sound.append(Self.copy(bytes, name) + parameters)
                }
            }
            FieldSyntax.skipToComma(bytes, &position)
        }
        isExcessive = members > Self.maximumNames
        text = sound.joined(separator: ", ")
    }

    /// Whether the field contains a name, ignoring case.
    package func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

    /// Parses a token with an optional port.
    private static func name(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        guard let token = FieldSyntax.token(bytes, &position) else { return nil }
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return token }
        var end = position + 1
        while end < bytes.count, FieldSyntax.digit(bytes[end]) != nil { end += 1 }
        if end > position + 1 { position = end }
        return token.lowerBound..<position
    }

    /// Parses all parameters of a member.
    ///
    /// - Returns: the parameters whose value is a token, quoted or not, as `;name=value`; `nil` if the member is malformed.
    private static func parameters(_ bytes: Span<UInt8>, _ position: inout Int) -> String? {
        var text = ""
        while true {
            FieldSyntax.skipWhitespace(bytes, &position)
            guard position < bytes.count, bytes[position] != UInt8(ascii: ",") else { return text }
            guard bytes[position] == UInt8(ascii: ";") else { return nil }
            position += 1
            FieldSyntax.skipWhitespace(bytes, &position)
            guard let name = FieldSyntax.token(bytes, &position), position < bytes.count,
                bytes[position] == UInt8(ascii: "=")
            else { return nil }
            position += 1
            guard
                let value = FieldSyntax.quotedString(bytes, &position) ?? FieldSyntax.token(bytes, &position)
            else { return nil }
            if !value.isEmpty, value.allSatisfy({ FieldSyntax.isTokenCharacter(bytes[$0]) }) {
                text += ";\(copy(bytes, name))=\(copy(bytes, value))"
            }
        }
    }

    private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        var copy: [UInt8] = []
        for index in range { copy.append(bytes[index]) }
        return String(decoding: copy, as: UTF8.self)
    }
}
