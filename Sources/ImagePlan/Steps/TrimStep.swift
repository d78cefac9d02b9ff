/// `trim`: cuts away the margin that looks like the top left corner.
///
/// A pixel belongs to the margin while none of its colour values (times alpha) nor its alpha differs from the corner's by more than
/// the threshold. Every pixel counts, also a single one; an animation's frames are cut alike. A picture that is all margin stays
/// as it is.
package struct TrimStep: SingleParameterStep {
    package static let name = "trim"

    /// 1–255.
    package let threshold: Int

    /// Creates the step.
    package init(threshold: Int) {
        self.threshold = threshold
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        threshold = try parameter.integer(in: 1...255)
    }

    package var value: String { String(threshold) }

    package var sizeDependsOnPixels: Bool { true }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 2) }
}
