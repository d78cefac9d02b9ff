/// A step with the shapes before and after it, on one particular source.
///
/// The rectangles inside of a step come from the step itself: `ResizeStep.geometry(for:)`, `CropStep.placement(in:)`,
/// `RoundStep.corners(on:)`, `RotateStep.canvas(for:)`, each asked with `input.size`; a border follows `input.corners`.
package struct ResolvedStep: Sendable {
    package let step: any TransformStep
    package let input: PictureShape
    package let output: PictureShape
    /// Whether `output` is certain; it is not from the first step on whose size only the pixels tell.
    package let isExact: Bool

    /// Creates a resolved step.
    package init(step: any TransformStep, input: PictureShape, output: PictureShape, isExact: Bool = true) {
        self.step = step
        self.input = input
        self.output = output
        self.isExact = isExact
    }
}
