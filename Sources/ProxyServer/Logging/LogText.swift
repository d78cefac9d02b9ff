import ImagePlan

/// Appends escaped text to a line, so that it cannot end the line, leave its quotes or control the terminal.
///
/// Both log formats escape as `JSONText` does, and also escape non-ASCII characters that are invisible or change the writing
/// direction.
enum LogText {
    /// Appends untrusted bytes in quotes; each byte that is not printable ASCII is written as `\u00XX`.
    ///
    /// - Parameter limit: the maximum bytes; "…" replaces the rest.
    static func appendQuoted(_ bytes: Span<UInt8>, limit: Int, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for index in 0..<min(bytes.count, limit) { JSONText.append(bytes[index], to: &line) }
        if bytes.count > limit { line.append(contentsOf: "\\u2026".utf8) }
        line.append(UInt8(ascii: "\""))
    }

    /// Appends text in quotes; invisible characters are written as `\uXXXX`.
    static func appendQuoted(_ text: String, limit: Int = .max, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        appendUnquoted(text, limit: limit, to: &line)
        line.append(UInt8(ascii: "\""))
    }

    /// Like `appendQuoted`, without quotes.
    static func appendUnquoted(_ text: String, limit: Int = .max, to line: inout [UInt8]) {
        var left = limit
        for scalar in text.unicodeScalars {
            guard left > 0 else {
                line.append(contentsOf: "\\u2026".utf8)
                return
            }
            left -= 1
            if scalar.value < 0x80 {
                JSONText.append(UInt8(truncatingIfNeeded: scalar.value), to: &line)
            } else if isHidden(scalar.value) {
                JSONText.appendEscape(scalar.value, to: &line)
            } else {
                line.append(contentsOf: String(scalar).utf8)
            }
        }
    }

    /// Returns text for a page: control characters, invisible ones and those that change the writing direction are written as `\uXXXX`.
    static func visible(_ text: String) -> String {
        var line: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F || isHidden(scalar.value) {
                JSONText.appendEscape(scalar.value, to: &line)
            } else {
                line.append(contentsOf: String(scalar).utf8)
            }
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Appends a number.
    static func append(_ value: Int64, to line: inout [UInt8]) {
        guard value >= 0 else {
            line.append(contentsOf: String(value).utf8)
            return
        }
        let start = line.count
        var rest = value
        repeat {
            line.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        line[start...].reverse()
    }

    /// Appends a thousandth of a number, with three decimals; a negative one counts as 0.
    static func appendThousandths(_ value: Int64, to line: inout [UInt8]) {
        let value = max(0, value)
        append(value / 1_000, to: &line)
        line.append(UInt8(ascii: "."))
        let rest = UInt8(ascii: "0")
        line.append(rest + UInt8(truncatingIfNeeded: value / 100 % 10))
        line.append(rest + UInt8(truncatingIfNeeded: value / 10 % 10))
        line.append(rest + UInt8(truncatingIfNeeded: value % 10))
    }

    /// C1 controls, line and paragraph separators, bidirectional formatting characters and the byte order mark.
    private static func isHidden(_ value: UInt32) -> Bool {
        switch value {
        case 0x80...0x9F, 0xAD, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
        default: false
        }
    }
}
