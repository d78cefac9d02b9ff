/// The intermediaries that a request has passed, as its `CDN-Loop` names them (RFC 8586 §2).
///
/// Anybody can write this field, so it is read strictly, and what is sent on is put together again from what was read.
package struct CDNLoop: Hashable, Sendable {
    /// The most names that a request may bring; one with more counts as looping.
    package static let maximumNames = 8
    /// The longest value that a request may bring, in bytes; one with a longer value counts as looping.
    package static let maximumLength = 256

    /// Whether the value has more names, or is longer, than a request may bring.
    package private(set) var isExcessive = false
    /// What is sent on: tokens, with their ports, and those parameters whose value is a token; empty where there are none.
    package private(set) var text = ""
    /// The names of all members, in lower case; also of those that are too malformed to be sent on.
    private var names: Set<String> = []

    /// Reads a field's value, several lines joined with commas.
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

    /// Whether a name stands in the field, in any case.
    package func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

    /// Takes a token, with a port behind it or not.
    private static func name(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        guard let token = FieldSyntax.token(bytes, &position) else { return nil }
        guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return token }
        var end = position + 1
        while end < bytes.count, FieldSyntax.digit(bytes[end]) != nil { end += 1 }
        if end > position + 1 { position = end }
        return token.lowerBound..<position
    }

    /// Takes all parameters of a member.
    ///
    /// - Returns: those whose value is a token, quoted or not, as `;name=value`; `nil` where anything else stands in the member.
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
