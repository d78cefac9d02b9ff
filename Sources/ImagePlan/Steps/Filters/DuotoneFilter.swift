/// `duotone:rrggbb,rrggbb`: each colour's luma on the line from the first colour (black) to the second (white).
package struct DuotoneFilter: NamedFilter {
    package static let name = "duotone"
    package static let argumentNote = ":rrggbb,rrggbb"

    package let dark: Color
    package let light: Color

    /// Creates the filter of two opaque colours.
    package init(dark: Color, light: Color) {
        self.dark = dark
        self.light = light
    }

    package init?(parsing arguments: Parameter?) throws(RequestError) {
        let parts = arguments?.parts(separatedBy: ",") ?? []
        guard parts.count == 2 else {
            throw RequestError(parameter: FilterStep.name, reason: "needs two colours: duotone:rrggbb,rrggbb")
        }
        dark = try Color(parsingOpaque: parts[0])
        light = try Color(parsingOpaque: parts[1])
    }

    package var arguments: String? { "\(dark.text),\(light.text)" }
    package var commutesWithScaling: Bool { true }
}
