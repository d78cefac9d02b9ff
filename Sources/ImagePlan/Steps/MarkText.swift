/// A line of text as a watermark.
package struct MarkText: Hashable, Sendable {
    /// What stands before a text in `watermark`.
    package static let prefix = "text:"
    /// The longest text in bytes of UTF-8.
    package static let longest = 128
    private static let sizes = FixedDecimal(4)...FixedDecimal(largestSize)
    private static let largestSize = 512
    private static let standardSize = FixedDecimal(24)
    private static let standardFont = "sans"

    /// Without control characters, and with something to show.
    package let text: String
    /// Pixels of the font's em, 4–512, dpr multiplied in.
    package let size: FixedDecimal
    package let color: Color
    /// A family's name; which ones may be asked the configuration says.
    package let font: String

    /// Creates a text.
    package init(
        _ text: String,
        size: FixedDecimal = FixedDecimal(24),
        color: Color = .white,
        font: String = "sans"
    ) {
        self.text = text
        self.size = size
        self.color = color
        self.font = font
    }

    /// Reads the parts of a `watermark` that has a text.
    ///
    /// - Parameter part: `text:` and the text, percent-encoded in itself, so that it can have commas.
    /// - Throws: 400 naming the parameter, or `dpr`.
    init(
        parsing part: Parameter,
        size: Parameter?,
        color: Parameter?,
        font: Parameter?,
        in context: StepContext
    ) throws(RequestError) {
        do {
            text = try PercentCoding.decode(Array(part.value.utf8.dropFirst(Self.prefix.utf8.count))[...])
        } catch {
            throw part.error("has a text that \(error.reason); a % in it is %25, encoded once more")
        }
        guard text.utf8.count <= Self.longest else { throw part.error("has a text of more than \(Self.longest) bytes") }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw part.error("has a text with nothing to show")
        }
        let stated = try size?.decimal(in: Self.sizes) ?? Self.standardSize
        self.size = try context.scaled(stated, of: size ?? Parameter(part.name, stated.text), atMost: Self.largestSize)
        self.color = try color.map { (color) throws(RequestError) in try Color(parsing: color) } ?? .white
        self.font = font?.value ?? Self.standardFont
        guard Self.isFont(self.font) else {
            throw part.error("has a font's name that is not made of letters, digits, blanks and '-'")
        }
    }

    /// Whether a name can be a family's: letters, digits, inner blanks and `-`, up to 64 of them.
    package static func isFont(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.first != " " && name.last != " "
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
                    || byte.isURLUnreserved && !"._~".utf8.contains(byte)
            }
    }

    /// Whether a value is of a text: byte by byte, since what the text begins with may combine with the prefix.
    static func isStated(_ value: String) -> Bool { value.utf8.starts(with: prefix.utf8) }

    /// The prefix and the text, with `%` and `,` encoded, whatever combines with them.
    var escaped: String {
        text.unicodeScalars.reduce(into: Self.prefix) { escaped, scalar in
            switch scalar {
            case "%": escaped += "%25"
            case ",": escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// The canonical size; empty for the standard one.
    var sizeText: String { size == Self.standardSize ? "" : size.text }

    /// The canonical colour and font; empty for the standard ones.
    var lookTexts: [String] { [color == .white ? "" : color.text, font == Self.standardFont ? "" : font] }
}
