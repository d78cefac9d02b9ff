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
