/// `border`: a line along the inside of the image's edge, following the corners of the preceding `round`.
package struct BorderStep: SingleParameterStep {
    /// The widest border in pixels, after dpr scaling.
    package static let widest = 16_384

    package static let name = "border"

    /// The width in pixels, more than 0; fractions are antialiased.
    package let width: FixedDecimal
    package let color: Color

    /// Creates a border.
    package init(width: FixedDecimal, color: Color) {
        self.width = width
        self.color = color
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let parts = parameter.parts(separatedBy: ",")
        guard parts.count == 2 else { throw parameter.error("must be a width and a colour, as in 2,ff8800") }
        let width = try parts[0].decimal(in: FixedDecimal(millionths: 1)...FixedDecimal(Self.widest))
        self.width = try context.scaled(width, of: parts[0], atMost: Self.widest)
        color = try Color(parsing: parts[1])
    }

    package var value: String { "\(width.text),\(color.text)" }
}
