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

/// `hue`: turns every colour around the axis of greys (`hue-rotate()` of CSS Filter Effects 1).
package struct HueStep: SingleParameterStep {
    package static let name = "hue"

    /// More than 0 and less than 360.
    package let degrees: FixedDecimal

    /// Creates the step; the angle is taken modulo 360.
    package init(degrees: FixedDecimal) {
        self.degrees = degrees.withinOneTurn
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        self.init(degrees: try parameter.angle())
        if self.degrees.millionths == 0 { return nil }
    }

    package var value: String { degrees.text }

    /// Three products for each of three values.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}
