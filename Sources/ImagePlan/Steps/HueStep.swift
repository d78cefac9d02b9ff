/// `hue`: turns every colour around the axis of greys (`hue-rotate()` of CSS Filter Effects 1).
package struct HueStep: SingleParameterStep {
    package static let name = "hue"
    private static let fullTurn = 360_000_000

    /// More than 0 and less than 360.
    package let degrees: FixedDecimal

    /// Creates the step; the angle is taken modulo 360.
    package init(degrees: FixedDecimal) {
        let remainder = degrees.millionths % Self.fullTurn
        self.degrees = FixedDecimal(millionths: remainder < 0 ? remainder + Self.fullTurn : remainder)
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        guard let degrees = FixedDecimal(parsing: parameter.value) else {
            throw parameter.error("must be a number of degrees, at most 999999999")
        }
        self.init(degrees: degrees)
        if self.degrees.millionths == 0 { return nil }
    }

    package var value: String { degrees.text }

    /// Three products for each of three values.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}
