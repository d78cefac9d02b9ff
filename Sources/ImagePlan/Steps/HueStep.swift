/// `hue`: turns every colour around the axis of greys (`hue-rotate()` of CSS Filter Effects 1).
package struct HueStep: SingleParameterStep {
    package static let name = "hue"

    /// More than 0 and less than 360.
    package let degrees: FixedDecimal

    /// Creates the step; the angle is taken modulo 360.
    package init(degrees: FixedDecimal) {
        self.degrees = degrees.withinOneTurn
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        self.init(degrees: try parameter.angle())
        if self.degrees.millionths == 0 { return nil }
    }

    package var value: String { degrees.text }

    /// Three products for each of three values.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}
