/// `blur`: a Gaussian blur.
package struct BlurStep: SingleParameterStep {
    package static let name = "blur"
    private static let range = FixedDecimal(millionths: 300_000)...FixedDecimal(250)

    /// The standard deviation in pixels, 0.3–250, dpr multiplied in.
    package let sigma: FixedDecimal

    /// Creates a blur.
    package init(sigma: FixedDecimal) {
        self.sigma = sigma
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let sigma = try parameter.decimal(in: Self.range)
        self.sigma = try context.scaled(sigma, of: parameter, atMost: 250)
    }

    package var value: String { sigma.text }

    /// Two passes over a kernel of about three standard deviations on each side.
    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.multipliedSaturated(by: 2 + 2 * (1 + 3 * sigma.rounded))
    }
}
