/// `duotone:rrggbb,rrggbb`: maps luma to a gradient from the first colour (black) to the second (white).
package struct DuotoneFilter: NamedFilter {
    package static let name = "duotone"
    package static let argumentNote = ":rrggbb,rrggbb"
    package static let variant = ValueForm.Variant(
        name,
        .list([ValueForm.Item("dark", .color), ValueForm.Item("light", .color)], required: 2)
    )

    package let dark: Color
    package let light: Color

    /// Creates the filter from two opaque colours.
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

/// `grayscale`: replaces each colour by its luma (`grayscale()` of CSS Filter Effects 1: 0.2126 R + 0.7152 G + 0.0722 B).
package struct GrayscaleFilter: PlainFilter {
    package static let name = "grayscale"

    /// Creates the filter.
    package init() {}

    package var commutesWithScaling: Bool { true }
}

/// `sepia`: tints the image brown, like an old print (`sepia()` of CSS Filter Effects 1).
package struct SepiaFilter: PlainFilter {
    package static let name = "sepia"

    /// Creates the filter.
    package init() {}
}

/// `invert`: subtracts each colour value from 255 (`invert()` of CSS Filter Effects 1).
package struct InvertFilter: PlainFilter {
    package static let name = "invert"

    /// Creates the filter.
    package init() {}

    package var costPerPixel: Int { 1 }
    package var commutesWithScaling: Bool { true }
}

/// `monochrome` or `monochrome:rrggbb`: multiplies each pixel's luma by one colour.
package struct MonochromeFilter: NamedFilter {
    package static let name = "monochrome"
    package static let argumentNote = "[:rrggbb]"
    package static let variant = ValueForm.Variant(name, .color, isOptional: true)
    /// The default of Core Image's CIColorMonochrome: 0.6, 0.45, 0.3.
    package static let defaultColor = Color(red: 153, green: 115, blue: 77)

    package let color: Color

    /// Creates the filter from an opaque colour.
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

/// `chroma:rrggbb`: keeps each pixel's lightness in CIELAB, and takes the chroma of one colour.
package struct ChromaFilter: NamedFilter {
    package static let name = "chroma"
    package static let argumentNote = ":rrggbb"
    package static let variant = ValueForm.Variant(name, .color)

    package let color: Color

    /// Creates the filter from an opaque colour.
    package init(color: Color) {
        self.color = color
    }

    package init?(parsing arguments: Parameter?) throws(RequestError) {
        guard let arguments else {
            throw RequestError(parameter: FilterStep.name, reason: "needs a colour: chroma:rrggbb")
        }
        color = try Color(parsingOpaque: arguments)
    }

    package var arguments: String? { color.text }
    package var costPerPixel: Int { 8 }
}

/// `vignette` or `vignette:strength`: darkens the image towards the corners.
///
/// A pixel at fraction d of the way from the centre to a corner keeps 1 − strength × d⁴ of its light.
package struct VignetteFilter: NamedFilter {
    package static let name = "vignette"
    package static let argumentNote = "[:0–1]"
    package static let variant = ValueForm.Variant(name, .decimal(strengths), isOptional: true)
    private static let strengths = FixedDecimal(0)...FixedDecimal(1)
    package static let defaultStrength = FixedDecimal(millionths: 500_000)

    /// The share of light that the corners lose, more than 0 and at most 1.
    package let strength: FixedDecimal

    /// Creates the filter.
    package init(strength: FixedDecimal = defaultStrength) {
        self.strength = strength
    }

    package init?(parsing arguments: Parameter?) throws(RequestError) {
        strength = try arguments?.decimal(in: Self.strengths) ?? Self.defaultStrength
        if strength == FixedDecimal(0) { return nil }
    }

    package var arguments: String? { strength == Self.defaultStrength ? nil : strength.text }
}
