/// A parser for structured field dictionaries (RFC 9651 §4.2.2), as far as cache directives need their values.
enum StructuredDictionary {
    /// A member's value.
    enum Value: Hashable, Sendable {
        case integer(Int64)
        case boolean(Bool)
        /// A string or a token.
        case text(String)
        /// A value of another type, including inner lists.
        case other
    }

    /// The members, of repeated names the last; `nil` if the bytes are malformed.
    static func parse(_ bytes: Span<UInt8>) -> [String: Value]? {
        var members: [String: Value] = [:]
        var position = 0
        while position < bytes.count, bytes[position] == 0x20 { position += 1 }
        while position < bytes.count {
            guard let name = key(bytes, &position) else { return nil }
            var value = Value.boolean(true)
            if take(UInt8(ascii: "="), bytes, &position) {
                guard let read = member(bytes, &position) else { return nil }
                value = read
            }
            guard parameters(bytes, &position) else { return nil }
            members[name] = value
            FieldSyntax.skipWhitespace(bytes, &position)
            guard position < bytes.count else { return members }
            guard take(UInt8(ascii: ","), bytes, &position) else { return nil }
            FieldSyntax.skipWhitespace(bytes, &position)
            // A trailing comma is an error.
            guard position < bytes.count else { return nil }
        }
        return members
    }

    static func take(_ byte: UInt8, _ bytes: Span<UInt8>, _ position: inout Int) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// RFC 9651 §4.2.3.3.
    private static func key(_ bytes: Span<UInt8>, _ position: inout Int) -> String? {
        func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
        let start = position
        guard position < bytes.count, isLower(bytes[position]) || bytes[position] == UInt8(ascii: "*") else {
            return nil
        }
        while position < bytes.count {
            let byte = bytes[position]
            let isMore =
                isLower(byte) || FieldSyntax.digit(byte) != nil || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "*")
            guard isMore else { break }
            position += 1
        }
        return FieldSyntax.lowercased(bytes, start..<position)
    }

    /// RFC 9651 §4.2.3.2; parameter values are ignored.
    private static func parameters(_ bytes: Span<UInt8>, _ position: inout Int) -> Bool {
        while take(UInt8(ascii: ";"), bytes, &position) {
            while take(0x20, bytes, &position) {}
            guard key(bytes, &position) != nil else { return false }
            if take(UInt8(ascii: "="), bytes, &position) {
                guard item(bytes, &position) != nil else { return false }
            }
        }
        return true
    }

    private static func member(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        guard take(UInt8(ascii: "("), bytes, &position) else { return item(bytes, &position) }
        return innerList(bytes, &position) ? .other : nil
    }

    /// RFC 9651 §4.2.1.2, after the opening parenthesis.
    private static func innerList(_ bytes: Span<UInt8>, _ position: inout Int) -> Bool {
        while position < bytes.count {
            while take(0x20, bytes, &position) {}
            if take(UInt8(ascii: ")"), bytes, &position) { return true }
            guard item(bytes, &position) != nil, parameters(bytes, &position), position < bytes.count,
                bytes[position] == 0x20 || bytes[position] == UInt8(ascii: ")")
            else { return false }
        }
        return false
    }
}
