/// The text of a text watermark, with its font, size and colour.
package struct MarkText: Hashable, Sendable {
    /// The prefix that marks a text in `watermark`.
    package static let prefix = "text:"
    /// The longest text in bytes of UTF-8.
    package static let longest = 128
    /// The sizes before dpr scaling.
    static let sizes = FixedDecimal(4)...FixedDecimal(largestSize)
    private static let largestSize = 512
    private static let standardSize = FixedDecimal(24)
    private static let standardFont = "sans"

    /// The text: no control characters, not blank.
    package let text: String
    /// The font size: pixels per em, 4–512, after dpr scaling.
    package let size: FixedDecimal
    package let color: Color
    /// The font family; the configuration lists the permitted ones.
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

    /// Parses the parts of a text `watermark`.
    ///
    /// - Parameter part: `text:` and the text, percent-encoded a second time so that it can contain commas.
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
            throw part.error("has a text that \(error.reason); write a % in it as %25, then encode the value again")
        }
        guard text.utf8.count <= Self.longest else { throw part.error("has a text longer than \(Self.longest) bytes") }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw part.error("has a blank text")
        }
        let stated = try size?.decimal(in: Self.sizes) ?? Self.standardSize
        self.size = try context.scaled(stated, of: size ?? Parameter(part.name, stated.text), atMost: Self.largestSize)
        self.color = try color.map { (color) throws(RequestError) in try Color(parsing: color) } ?? .white
        self.font = font?.value ?? Self.standardFont
        guard Self.isFont(self.font) else {
            throw part.error("has a font name with characters other than letters, digits, spaces and '-'")
        }
    }

    /// Whether a name is a valid font family: letters, digits, inner spaces and `-`, up to 64 bytes.
    package static func isFont(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.first != " " && name.last != " "
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
                    || byte.isURLUnreserved && !"._~".utf8.contains(byte)
            }
    }

    /// Whether a value starts with the prefix, compared by bytes: a combining character after it must not hide it.
    static func isStated(_ value: String) -> Bool { value.utf8.starts(with: prefix.utf8) }

    /// The prefix and the text with `%` and `,` encoded, compared by scalars for the same reason.
    var escaped: String { Self.escaped(text) }

    /// A text as the first part of a `watermark`.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: prefix) { escaped, scalar in
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
