/// A step with one factor, of which 1 changes nothing.
package protocol FactorStep: SingleParameterStep {
    /// The permitted factors, both ends included.
    static var range: ClosedRange<FixedDecimal> { get }
    var factor: FixedDecimal { get }
    /// Creates the step; the factor must be within `range`.
    init(factor: FixedDecimal)
}

extension FactorStep {
    package static var form: ValueForm { .decimal(range) }
    package static var example: String { "1.3" }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let factor = try parameter.decimal(in: Self.range)
        if factor == FixedDecimal(1) { return nil }
        self.init(factor: factor)
    }

    package var value: String { factor.text }
}

/// A step that multiplies distances of colour values from a fixed colour.
package protocol LinearStep: FactorStep {}

extension LinearStep {
    package static var range: ClosedRange<FixedDecimal> { FixedDecimal(0)...FixedDecimal(10) }

    /// Below 1 nothing is clipped, so the step commutes with scaling.
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        factor < FixedDecimal(1) ? .anyScale : .fullSize
    }
}

/// `brightness`: multiplies every colour value by a factor (`brightness()` of CSS Filter Effects 1).
package struct BrightnessStep: LinearStep {
    package static let name = "brightness"

    /// 0 (black) to 10.
    package let factor: FixedDecimal

    /// Creates the step.
    package init(factor: FixedDecimal) {
        self.factor = factor
    }
}

/// `contrast`: multiplies each colour value's distance from mid-grey (`contrast()` of CSS Filter Effects 1).
package struct ContrastStep: LinearStep {
    package static let name = "contrast"

    /// 0 (all grey) to 10.
    package let factor: FixedDecimal

    /// Creates the step.
    package init(factor: FixedDecimal) {
        self.factor = factor
    }
}

/// `saturation`: multiplies each colour's distance from its grey (`saturate()` of CSS Filter Effects 1).
package struct SaturationStep: LinearStep {
    package static let name = "saturation"

    /// 0 (greys only) to 10.
    package let factor: FixedDecimal

    /// Creates the step.
    package init(factor: FixedDecimal) {
        self.factor = factor
    }

    /// A 3 × 3 matrix product.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}

/// `gamma`: raises each colour value, as a fraction of white, to 1 ÷ gamma; more than 1 brightens.
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

/// `hue`: rotates every colour around the grey axis (`hue-rotate()` of CSS Filter Effects 1).
package struct HueStep: SingleParameterStep {
    package static let name = "hue"
    package static let form = ValueForm.angle
    package static let example = "90"

    /// The angle, more than 0 and less than 360.
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

    /// A 3 × 3 matrix product.
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }
}
