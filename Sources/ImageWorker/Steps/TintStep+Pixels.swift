import ImagePlan

extension TintStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let strength = Double(color.alpha) / 255
        let mix = mode.mix(under: strength)
        try canvas.change(to: canvas.shape) { frame in
            // An opaque image hides what lies under it.
            if mode == .destOver, !frame.hasAlpha { return frame }
            guard let blend = mode.formula else { return try frame.mixed(with: color.colourValues, mix) }
            // With opaque pixels and one colour, each result value depends on one value alone.
            let tables = color.colourValues.map { source in
                (0..<256).map { value in
                    let backdrop = Double(value)
                    let blended = 255 * blend(backdrop / 255, source / 255)
                    return UInt8(rounding: backdrop + strength * (blended - backdrop))
                }
            }
            let blended = try frame.onColours { colours in try colours.mapped(by: tables) }
            // The colour shows through transparent pixels, unless the image keeps its shape.
            return frame.hasAlpha && mode != .sourceAtop ? try blended.mixed(with: color.colourValues, mix) : blended
        }
    }
}

/// The shares of backdrop and source in the result as functions of the backdrop's alpha, all 0–1 (Porter and Duff's Fb × αb, Fa × αs).
struct AlphaMix {
    let backdrop: (_ alpha: Double) -> Double
    let source: (_ alpha: Double) -> Double

    /// Returns the alpha of the result.
    func alpha(over alpha: Double) -> Double { min(1, backdrop(alpha) + source(alpha)) }
}

extension Raster {
    /// Mixes the image with one colour by each pixel's alpha; an opaque image stays without alpha if the result is opaque.
    fileprivate func mixed(with colour: [Double], _ mix: AlphaMix) throws -> Raster {
        /// Returns a share of the result's colour.
        func part(_ share: Double, over alpha: Double) -> Double {
            let whole = mix.alpha(over: alpha)
            return whole > 0 ? share / whole : 0
        }
        guard hasAlpha else {
            let own = part(mix.backdrop(1), over: 1)
            let other = part(mix.source(1), over: 1)
            let colours = try linear([own, own, own], plus: colour.map { $0 * other + 0.5 }, isEightBit: true)
            let alpha = UInt8(rounding: 255 * mix.alpha(over: 1))
            return alpha == 255 ? colours : try colours.joined(with: constant([Double(alpha)]))
        }
        let alphas = (0..<256).map { Double($0) / 255 }
        let alpha = try bands(from: 3, count: 1)
        let own = try alpha.mapped(toFloats: alphas.map { Float(part(mix.backdrop($0), over: $0)) })
        let other = try alpha.mapped(toFloats: alphas.map { Float(part(mix.source($0), over: $0)) })
        let colours = try bands(from: 0, count: 3).times(own).plus(other.spread(by: colour)).roundedToEightBits()
        return try colours.joined(with: alpha.mapped { 255 * mix.alpha(over: $0 / 255) })
    }
}
