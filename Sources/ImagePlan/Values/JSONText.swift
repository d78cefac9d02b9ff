/// Escapes JSON strings (RFC 8259 §7) without Foundation: in responses, logs, statistics, configurations (a JSON string is also a
/// YAML scalar) and worker reports.
package enum JSONText {
    /// Quotes a string; quotes, backslashes and control characters (C0, DEL and C1) are escaped.
    package static func quoted(_ text: String) -> String {
        var line = [UInt8(ascii: "\"")]
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case ..<0x80: append(UInt8(truncatingIfNeeded: scalar.value), to: &line)
            case ...0x9F: appendEscape(scalar.value, to: &line)
            default: line.append(contentsOf: String(scalar).utf8)
            }
        }
        line.append(UInt8(ascii: "\""))
        return String(decoding: line, as: UTF8.self)
    }

    /// Quotes a string with spaces in place of control characters, which library messages and camera names may contain and readers
    /// of the JSON may print on a terminal.
    static func quotedLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars { line.unicodeScalars.append(scalar.isControl ? " " : scalar) }
        return quoted(line)
    }

    /// Appends one byte of a string: printable ASCII is unchanged, other bytes become `\u00XX`.
    @inlinable
    package static func append(_ byte: UInt8, to line: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            line.append(UInt8(ascii: "\\"))
            line.append(byte)
        case 0x20...0x7E: line.append(byte)
        default: appendEscape(UInt32(byte), to: &line)
        }
    }

    /// Appends `\uXXXX`.
    ///
    /// - Parameter value: the scalar value, at most U+FFFF.
    @inlinable
    package static func appendEscape(_ value: UInt32, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\\"))
        line.append(UInt8(ascii: "u"))
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
            line.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
