/// `gamma`: every colour value, as a fraction of white, to the power of 1 ÷ gamma; more than 1 lightens.
package struct GammaStep: FactorStep {
    package static let name = "gamma"
    package static let range = FixedDecimal(millionths: 100_000)...FixedDecimal(10)

    /// 0.1–10.
    package let factor: FixedDecimal

    /// Creates the step.
    package init(factor: FixedDecimal) {
        self.factor = factor
    }
}
