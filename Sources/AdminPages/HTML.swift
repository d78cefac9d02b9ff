/// Text of an HTML document, written as an interpolated literal.
///
/// The literal's own text is markup. Interpolated strings are escaped for content and quoted attributes, so that values from
/// clients, origins and the configuration cannot become markup; interpolated `HTML` is inserted as it is.
package struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    package private(set) var text: String

    /// Creates HTML from markup.
    package init(stringLiteral value: String) { text = value }

    /// Creates HTML from an interpolated literal.
    package init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// Creates HTML from other text, escaped.
    package init(escaping value: String) {
        text = ""
        HTML.escape(value, into: &text)
    }

    /// Joins parts.
    package init(_ parts: some Sequence<HTML>) { text = parts.map(\.text).joined() }

    /// The parts of a literal.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: HTML) { text += value.text }

        package mutating func appendInterpolation(_ values: [HTML]) { for value in values { text += value.text } }

        package mutating func appendInterpolation(_ value: String) { HTML.escape(value, into: &text) }

        package mutating func appendInterpolation(_ value: Int) { text += String(value) }
    }

    /// Appends a text with the characters replaced that are markup in content or in a quoted attribute; controls become U+FFFD.
    private static func escape(_ value: String, into text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n": text += "\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
