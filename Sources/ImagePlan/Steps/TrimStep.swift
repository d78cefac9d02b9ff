/// `trim`: removes the margin that looks like the top left corner.
///
/// A pixel belongs to the margin while its alpha and its premultiplied colour values each differ from the corner's by at most
/// the threshold. A single differing pixel ends the margin. All frames of an animation are cropped alike. An image that is all
/// margin is not changed.
package struct TrimStep: SingleParameterStep {
    package static let name = "trim"
    package static let form = ValueForm.integer(thresholds)
    package static let example = "10"
    private static let thresholds = 1...255

    /// 1–255.
    package let threshold: Int

    /// Creates the step.
    package init(threshold: Int) {
        self.threshold = threshold
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        threshold = try parameter.integer(in: Self.thresholds)
    }

    package var value: String { String(threshold) }

    package var sizeDependsOnPixels: Bool { true }

    package var gainMapFollows: Bool { true }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 2) }
}
