/// `contrast`: every colour value's distance from the middle grey times a factor (`contrast()` of CSS Filter Effects 1).
package struct ContrastStep: FactorStep {
    package static let name = "contrast"
    package static let range = FixedDecimal(0)...FixedDecimal(10)

    /// 0 (all grey) to 10.
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
