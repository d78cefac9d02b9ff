/// `sharpen`: applies an unsharp mask to the lightness channel.
package struct SharpenStep: SingleParameterStep {
    package static let name = "sharpen"
    package static let form = ValueForm.decimal(range, .pixels)
    package static let example = "1.5"
    private static let range = FixedDecimal(millionths: 300_000)...FixedDecimal(10)

    /// The standard deviation of the mask in pixels, 0.3–10; not scaled by dpr.
    package let sigma: FixedDecimal

    /// Creates a sharpening.
    package init(sigma: FixedDecimal) {
        self.sigma = sigma
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        sigma = try parameter.decimal(in: Self.range)
    }

    package var value: String { sigma.text }

    /// Conversion to Lab and back, and two passes of the mask.
    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.multipliedSaturated(by: 16 + 6 * sigma.rounded)
    }
}
