extension StructuredDictionary {
    /// Parses a bare item (RFC 9651 §4.2.3.1); `nil` if there is none.
    static func item(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(bytes, &position)
        case UInt8(ascii: "\""): return string(bytes, &position)
        case UInt8(ascii: "*"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            return token(bytes, &position)
        case UInt8(ascii: ":"): return byteSequence(bytes, &position)
        case UInt8(ascii: "?"): return boolean(bytes, &position)
        case UInt8(ascii: "@"):
            position += 1
            guard case .integer = number(bytes, &position) else { return nil }
            return .other
        default: return nil
        }
    }

    /// RFC 9651 §4.2.4: at most 15 digits, or 12 with up to 3 decimals.
    private static func number(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        let isNegative = take(UInt8(ascii: "-"), bytes, &position)
        let start = position
        var value: Int64 = 0
        while position < bytes.count, let digit = FieldSyntax.digit(bytes[position]) {
            guard position - start < 15 else { return nil }
            value = value * 10 + digit
            position += 1
        }
        let digits = position - start
        guard digits > 0 else { return nil }
        guard take(UInt8(ascii: "."), bytes, &position) else { return .integer(isNegative ? -value : value) }
        let point = position
        while position < bytes.count, FieldSyntax.digit(bytes[position]) != nil { position += 1 }
        return digits <= 12 && (1...3).contains(position - point) ? .other : nil
    }

    /// RFC 9651 §4.2.5: ASCII, in which only `\"` and `\\` are escaped.
    private static func string(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return .text(String(decoding: text, as: UTF8.self)) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { return nil }
                byte = bytes[position]
                position += 1
                guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return nil }
            }
            guard (0x20...0x7E).contains(byte) else { return nil }
            text.append(byte)
        }
        return nil
    }

    /// RFC 9651 §4.2.6.
    private static func token(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            guard FieldSyntax.isTokenCharacter(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") else {
                break
            }
            text.append(byte)
            position += 1
        }
        return .text(String(decoding: text, as: UTF8.self))
    }

    /// RFC 9651 §4.2.7: base64 between colons.
    private static func byteSequence(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: ":"): return .other
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                continue
            default: return nil
            }
        }
        return nil
    }

    private static func boolean(_ bytes: Span<UInt8>, _ position: inout Int) -> Value? {
        position += 1
        if take(UInt8(ascii: "1"), bytes, &position) { return .boolean(true) }
        return take(UInt8(ascii: "0"), bytes, &position) ? .boolean(false) : nil
    }
}
