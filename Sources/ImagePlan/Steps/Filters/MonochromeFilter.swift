/// `monochrome` or `monochrome:rrggbb`: each colour's luma times one colour.
package struct MonochromeFilter: NamedFilter {
    package static let name = "monochrome"
    package static let argumentNote = "[:rrggbb]"
    /// The default of Core Image's CIColorMonochrome: 0.6, 0.45, 0.3.
    package static let defaultColor = Color(red: 153, green: 115, blue: 77)

    package let color: Color

    /// Creates the filter of an opaque colour.
    package init(color: Color = defaultColor) {
        self.color = color
    }

    package init?(parsing arguments: Parameter?) throws(RequestError) {
        guard let arguments else {
            self.init()
            return
        }
        self.init(color: try Color(parsingOpaque: arguments))
    }

    package var arguments: String? { color == Self.defaultColor ? nil : color.text }
    package var commutesWithScaling: Bool { true }
}
