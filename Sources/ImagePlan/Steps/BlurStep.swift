/// `blur`: a Gaussian blur.
package struct BlurStep: SingleParameterStep {
    package static let name = "blur"
    package static let form = ValueForm.decimal(range, .pixels)
    package static let example = "8"
    private static let range = FixedDecimal(millionths: 300_000)...FixedDecimal(250)

    /// The standard deviation in pixels, 0.3–250, after dpr scaling.
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

    /// The smallest standard deviation, in pixels, that a blur may have on a reduced image; see `largestFactor`.
    private static let smallestSigma = FixedDecimal(millionths: 2_500_000)

    /// The largest factor by which the image may be reduced before blurring and enlarged afterwards.
    ///
    /// The blur removes the detail that the reduction loses. Measured as structural similarity to a double-precision Gaussian, on
    /// images 300 pixels wide and for deviations of 5, 7.5, 12 and 20 pixels: photographs at least 0.9991, 0.9987, 0.9982 and
    /// 0.9960; a checkerboard 0.9989; white noise 0.9950. A `smallestSigma` of 2 gives 0.9937 for noise. On photographs of 640 × 600 pixels
    /// and for deviations of 40, 100 and 250 pixels, it is at least 0.9967, 0.9968 and 0.9978.
    package var largestFactor: Int { max(1, sigma.millionths / Self.smallestSigma.millionths) }

    /// As `smallestSigma`, for a blur before a resize with at least 1.75 times its result as input, which hides part of the error.
    ///
    /// The structural similarity of a photograph is at least 0.995 from here on; with a deviation of 1 it is 0.9925.
    private static let smallestSigmaBeforeResize = FixedDecimal(millionths: 1_500_000)

    /// As `largestFactor`, if a resize follows that reduces the image by at least as much.
    package var largestFactorBeforeResize: Int { max(1, sigma.millionths / Self.smallestSigmaBeforeResize.millionths) }

    /// Two passes of a kernel of about three standard deviations on each side, on a reduced image if the kernel is wide.
    package func cost(on picture: PictureShape) -> Int {
        let factor = largestFactor
        let taps = 2 * (1 + 3 * (sigma.rounded / factor))
        return picture.size.pixels.multipliedSaturated(by: 4 + taps / (factor * factor))
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        .smooth(largestFactor: largestFactorBeforeResize)
    }
}
