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

    /// The deviation in pixels of a smaller picture on which the blur may run; see `largestFactor`.
    private static let smallestSigma = FixedDecimal(millionths: 2_500_000)

    /// How many times smaller a picture may be made before it is blurred: what is left of its detail the blur takes anyway.
    package var largestFactor: Int { max(1, sigma.millionths / Self.smallestSigma.millionths) }

    /// Two passes over a kernel of about three standard deviations on each side, on a smaller picture where that is wide.
    package func cost(on picture: PictureShape) -> Int {
        let factor = largestFactor
        let taps = 2 * (1 + 3 * (sigma.rounded / factor))
        return picture.size.pixels.multipliedSaturated(by: 4 + taps / (factor * factor))
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        .smooth(largestFactor: largestFactor)
    }
}
