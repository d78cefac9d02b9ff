/// `saturation`: every colour's distance from its grey times a factor (`saturate()` of CSS Filter Effects 1).
package struct SaturationStep: FactorStep {
    package static let name = "saturation"
    package static let range = FixedDecimal(0)...FixedDecimal(10)

    /// 0 (greys only) to 10.
    package let factor: FixedDecimal

    /// Creates the step.
    package init(factor: FixedDecimal) {
        self.factor = factor
    }

    /// Three products for each of three values.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }

    /// Below 1 nothing is clipped, and the step means the same at every scale.
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        factor < FixedDecimal(1) ? .anyScale : .fullSize
    }
}
