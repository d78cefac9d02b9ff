/// `border`: a line along the inside of the image's edge, following the corners of the preceding `round`.
package struct BorderStep: SingleParameterStep {
    /// The widest border in pixels, after dpr scaling.
    package static let widest = 16_384

    package static let name = "border"
    package static let form = ValueForm.list(
        [ValueForm.Item("width", .decimal(widths, .pixels)), ValueForm.Item("colour", .color)],
        required: 2
    )
    package static let example = "4,ff8800"
    private static let widths = FixedDecimal(millionths: 1)...FixedDecimal(widest)

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
        let width = try parts[0].decimal(in: Self.widths)
        self.width = try context.scaled(width, of: parts[0], atMost: Self.widest)
        color = try Color(parsing: parts[1])
    }

    package var value: String { "\(width.text),\(color.text)" }
}
