/// The members of a field that is a list with parameters: `Cache-Status` (RFC 9211, in the syntax of RFC 9651) and `Server-Timing`.
///
/// Members are separated by commas, parameters by semicolons; names are tokens, values tokens or quoted strings.
struct FieldMembers {
    /// A parameter of a member.
    struct Item: Equatable {
        var name: String
        /// The text after `=`, without quotes; empty for a parameter that is only named.
        var value: String
        var isQuoted = false
    }

    /// The members, each with its parameters.
    private(set) var members: [(name: String, parameters: [Item])] = []
    private var bytes: ArraySlice<UInt8>

    /// Parses a field value of at most 16 KiB; `nil` for a malformed one.
    init?(_ field: String) {
        guard field.utf8.count <= 16_384 else { return nil }
        bytes = Array(field.utf8)[...]
        skipSpace()
        while !bytes.isEmpty {
            guard let name = text() else { return nil }
            var parameters: [Item] = []
            skipSpace()
            while skip(UInt8(ascii: ";")) {
                skipSpace()
                guard let item = parameter() else { return nil }
                parameters.append(item)
                skipSpace()
            }
            members.append((name, parameters))
            guard !bytes.isEmpty else { return }
            guard skip(UInt8(ascii: ",")) else { return nil }
            skipSpace()
            // RFC 9651 §4.2.1: no comma stands at the end.
            guard !bytes.isEmpty else { return nil }
        }
    }

    private mutating func parameter() -> Item? {
        guard let name = token() else { return nil }
        let rest = bytes
        skipSpace()
        guard skip(UInt8(ascii: "=")) else {
            bytes = rest
            return Item(name: name, value: "")
        }
        skipSpace()
        let isQuoted = bytes.first == UInt8(ascii: "\"")
        if bytes.first == UInt8(ascii: ":") { return sequence().map { Item(name: name, value: $0) } }
        return text().map { Item(name: name, value: $0, isQuoted: isQuoted) }
    }

    /// A token or a quoted string.
    private mutating func text() -> String? {
        guard skip(UInt8(ascii: "\"")) else { return token() }
        var content: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = bytes.popFirst() else { return nil }
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }

    /// A byte sequence (RFC 9651 §3.3.5), with its colons.
    private mutating func sequence() -> String? {
        let content = bytes.dropFirst().prefix { $0 != UInt8(ascii: ":") }
        guard content.endIndex < bytes.endIndex else { return nil }
        bytes = bytes[(content.endIndex + 1)...]
        return ":\(String(decoding: content, as: UTF8.self)):"
    }

    /// Characters of a token (RFC 9110 §5.6.2), and `:`, `/` and `?`, which tokens, numbers and booleans of RFC 9651 have.
    private mutating func token() -> String? {
        let token = bytes.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "!#$%&'*+-.^_`|~:/?".utf8.contains(byte)
            }
        }
        guard !token.isEmpty else { return nil }
        bytes = bytes.dropFirst(token.count)
        return String(decoding: token, as: UTF8.self)
    }

    private mutating func skipSpace() {
        bytes = bytes.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard bytes.first == byte else { return false }
        bytes.removeFirst()
        return true
    }
}
