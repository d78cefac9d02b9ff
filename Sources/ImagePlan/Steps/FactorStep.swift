/// A step that one factor states, of which 1 changes nothing.
package protocol FactorStep: SingleParameterStep {
    /// What may be asked; both ends are allowed.
    static var range: ClosedRange<FixedDecimal> { get }
    var factor: FixedDecimal { get }
    /// Creates the step; the factor lies within `range`.
    init(factor: FixedDecimal)
}

extension FactorStep {
    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let factor = try parameter.decimal(in: Self.range)
        if factor == FixedDecimal(1) { return nil }
        self.init(factor: factor)
    }

    package var value: String { factor.text }
}
