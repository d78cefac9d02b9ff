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

/// `grayscale`: each colour's luma (`grayscale()` of CSS Filter Effects 1: 0.2126 R + 0.7152 G + 0.0722 B).
package struct GrayscaleFilter: PlainFilter {
    package static let name = "grayscale"

    /// Creates the filter.
    package init() {}

    package var commutesWithScaling: Bool { true }
}

/// `sepia`: the browns of old prints (`sepia()` of CSS Filter Effects 1).
package struct SepiaFilter: PlainFilter {
    package static let name = "sepia"

    /// Creates the filter.
    package init() {}
}

/// `invert`: 255 less each colour value (`invert()` of CSS Filter Effects 1).
package struct InvertFilter: PlainFilter {
    package static let name = "invert"

    /// Creates the filter.
    package init() {}

    package var costPerPixel: Int { 1 }
    package var commutesWithScaling: Bool { true }
}

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

/// `vignette` or `vignette:strength`: darkens towards the corners.
///
/// A pixel at the fraction d of the way from the middle to a corner keeps 1 − strength × d⁴ of its light.
package struct VignetteFilter: NamedFilter {
    package static let name = "vignette"
    package static let argumentNote = "[:0–1]"
    package static let defaultStrength = FixedDecimal(millionths: 500_000)

    /// More than 0, at most 1: how much light the corners lose.
    package let strength: FixedDecimal

    /// Creates the filter.
    package init(strength: FixedDecimal = defaultStrength) {
        self.strength = strength
    }

    package init?(parsing arguments: Parameter?) throws(RequestError) {
        strength = try arguments?.decimal(in: FixedDecimal(0)...FixedDecimal(1)) ?? Self.defaultStrength
        if strength == FixedDecimal(0) { return nil }
    }

    package var arguments: String? { strength == Self.defaultStrength ? nil : strength.text }
}
