/// Reads the members of a JSON object on one line, without building the values that nobody uses.
///
/// Own code beside `JSONValue`: a log has millions of lines, and a general decoder takes many times as long.
struct LogObject {
    /// A member's value.
    enum Value {
        case text([UInt8])
        /// A whole number.
        case number(Int)
        /// Anything else: a fraction, a literal, an array or an object.
        case other
    }

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Calls `body` with each member of the object, nested ones excepted.
    ///
    /// - Returns: whether the line is one complete object; `body` may have been called even if it is not.
    static func read(_ line: [UInt8], _ body: (_ name: [UInt8], _ value: Value) -> Void) -> Bool {
        var object = LogObject(line)
        return object.run(body)
    }

    private mutating func run(_ body: (_ name: [UInt8], _ value: Value) -> Void) -> Bool {
        skipBlanks()
        guard take("{") else { return false }
        skipBlanks()
        if take("}") { return isAtEnd() }
        while true {
            skipBlanks()
            guard let name = string() else { return false }
            skipBlanks()
            guard take(":") else { return false }
            skipBlanks()
            guard let value = value() else { return false }
            body(name, value)
            skipBlanks()
            if take(",") { continue }
            return take("}") && isAtEnd()
        }
    }

    private mutating func skipBlanks() {
        while index < bytes.count, [0x20, 0x09, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func isAtEnd() -> Bool {
        skipBlanks()
        return index == bytes.count
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func value() -> Value? {
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""): return string().map { .text($0) }
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested() ? .other : nil
        default:
            let start = index
            while index < bytes.count, !",}] \t\r".utf8.contains(bytes[index]) { index += 1 }
            guard start < index else { return nil }
            if let number = Self.number(bytes[start..<index]) { return .number(number) }
            return .other
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.count <= 18, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    /// Skips an array or an object.
    private mutating func skipNested() -> Bool {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard string() != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return true }
        }
        return false
    }

    /// Reads a string; the logs escape each byte that is not printable ASCII as `\u00XX`.
    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return text }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard index < bytes.count else { return nil }
            let escaped = bytes[index]
            index += 1
            guard escaped == UInt8(ascii: "u") else {
                text.append(Self.plain(escaped))
                continue
            }
            guard index + 4 <= bytes.count, let code = UInt32(Self.text(bytes[index..<index + 4]), radix: 16) else {
                return nil
            }
            index += 4
            if code < 0x100 {
                text.append(UInt8(code))
            } else {
                text += Array(String(Unicode.Scalar(code).map(Character.init) ?? "\u{FFFD}").utf8)
            }
        }
        return nil
    }

    private static func plain(_ escaped: UInt8) -> UInt8 {
        switch escaped {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        default: escaped
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
