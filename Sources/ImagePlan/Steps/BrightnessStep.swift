/// `brightness`: every colour value times a factor (`brightness()` of CSS Filter Effects 1).
package struct BrightnessStep: FactorStep {
    package static let name = "brightness"
    package static let range = FixedDecimal(0)...FixedDecimal(10)

    /// 0 (black) to 10.
    package let factor: FixedDecimal

    /// Creates the step.
    package init(factor: FixedDecimal) {
        self.factor = factor
    }

    /// Below 1 nothing is clipped, and the step means the same at every scale.
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        factor < FixedDecimal(1) ? .anyScale : .fullSize
    }
}
