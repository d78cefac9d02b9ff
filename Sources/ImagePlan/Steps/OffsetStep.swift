/// `offset`: adds a number to every colour value, or one to each of red, green and blue; results are clamped to 0–255.
package struct OffsetStep: SingleParameterStep {
    package static let name = "offset"
    package static let form = ValueForm.either([
        ValueForm.Item("all", .decimal(range)),
        ValueForm.Item(
            "each",
            .list(["red", "green", "blue"].map { ValueForm.Item($0, .decimal(range)) }, required: 3)
        ),
    ])
    package static let example = "20"
    private static let range = FixedDecimal(-255)...FixedDecimal(255)

    /// −255 to 255; at least one of the three is not 0.
    package let red: FixedDecimal
    package let green: FixedDecimal
    package let blue: FixedDecimal

    /// Creates the step.
    package init(red: FixedDecimal, green: FixedDecimal, blue: FixedDecimal) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        var offsets: [FixedDecimal] = []
        for part in parameter.parts(separatedBy: ",") { offsets.append(try part.decimal(in: Self.range)) }
        guard offsets.count == 1 || offsets.count == 3 else {
            throw parameter.error("must be one number, or three for red, green and blue")
        }
        if offsets.allSatisfy({ $0.millionths == 0 }) { return nil }
        self.init(red: offsets[0], green: offsets[offsets.count / 2], blue: offsets[offsets.count - 1])
    }

    package var value: String {
        red == green && green == blue ? red.text : [red, green, blue].map(\.text).joined(separator: ",")
    }
}
