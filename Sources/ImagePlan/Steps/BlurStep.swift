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

    /// The deviation in pixels on the smaller picture; see `largestFactor`.
    private static let smallestSigma = FixedDecimal(millionths: 2_500_000)

    /// How many times smaller a picture may be made before it is blurred and then enlarged again: what its detail loses the blur
    /// takes anyway.
    ///
    /// Against a Gaussian in doubles, of 300 pixels wide pictures, the structural similarity of what comes of it is at deviations of
    /// 5, 7.5, 12 and 20 pixels: photographs 0.9991, 0.9987, 0.9982, 0.9960 and better, a checkerboard 0.9989, white noise 0.9950
    /// (a smallest deviation of 2 gives 0.9937 there).
    package var largestFactor: Int { max(1, sigma.millionths / Self.smallestSigma.millionths) }

    /// As `smallestSigma`, where a resize follows that is given 1.75 times its result: that hides some of what this is off by.
    ///
    /// The structural similarity of a photograph is 0.995 and better from here on; 0.9925 with a deviation of 1.
    private static let smallestSigmaBeforeResize = FixedDecimal(millionths: 1_500_000)

    /// How many times smaller it may be where a resize follows that leaves as much out.
    package var largestFactorBeforeResize: Int { max(1, sigma.millionths / Self.smallestSigmaBeforeResize.millionths) }

    /// Two passes over a kernel of about three standard deviations on each side, on a smaller picture where that is wide.
    package func cost(on picture: PictureShape) -> Int {
        let factor = largestFactor
        let taps = 2 * (1 + 3 * (sigma.rounded / factor))
        return picture.size.pixels.multipliedSaturated(by: 4 + taps / (factor * factor))
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        .smooth(largestFactor: largestFactorBeforeResize)
    }
}
