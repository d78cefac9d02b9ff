import ImagePlan

extension TintStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let strength = Double(color.alpha) / 255
        let mix = mode.mix(under: strength)
        let deadline = canvas.deadline
        try canvas.change(to: canvas.shape) { frame in
            // An opaque image hides what lies under it.
            if mode == .destOver, !frame.hasAlpha { return frame }
            // The colours of the result where the image is opaque.
            let blended: Raster
            if let blend = mode.formula {
                blended = try frame.blended(with: color, strength, blend)
            } else if let blend = mode.colourFormula {
                blended = try frame.blended(with: color, Float(strength), deadline, blend)
            } else {
                return try frame.mixed(with: color.colourValues, mix)
            }
            // The colour shows through transparent pixels, unless the image keeps its shape.
            return frame.hasAlpha && mode != .sourceAtop ? try blended.mixed(with: color.colourValues, mix) : blended
        }
    }
}

extension Raster {
    /// Blends one colour over each pixel as if it were opaque, value by value, and keeps alpha.
    ///
    /// - Parameter strength: the colour's alpha, 0–1.
    fileprivate func blended(
        with color: Color,
        _ strength: Double,
        _ blend: (_ backdrop: Double, _ source: Double) -> Double
    ) throws -> Raster {
        // With one colour, each result value depends on one value alone.
        let tables = color.colourValues.map { source in
            (0..<256).map { value in
                let backdrop = Double(value)
                let blended = 255 * blend(backdrop / 255, source / 255)
                return UInt8(rounding: backdrop + strength * (blended - backdrop))
            }
        }
        return try onColours { colours in try colours.mapped(by: tables) }
    }

    /// Blends one colour over each pixel as if it were opaque, and keeps alpha.
    ///
    /// - Parameter strength: the colour's alpha, 0–1.
    fileprivate func blended(
        with color: Color,
        _ strength: Float,
        _ deadline: Deadline,
        _ blend: (_ backdrop: SIMD3<Float>, _ source: SIMD3<Float>) -> SIMD3<Float>
    ) throws(VipsError) -> Raster {
        let source = SIMD3(Float(color.red), Float(color.green), Float(color.blue)) / 255
        let bands = bands
        return try mapped(deadline) { row, target, pixels in
            unsafe target.copyMemory(from: row, byteCount: bands * pixels)
            for start in stride(from: 0, to: bands * pixels, by: bands) {
                let values = unsafe SIMD3(
                    row.load(fromByteOffset: start, as: UInt8.self),
                    row.load(fromByteOffset: start + 1, as: UInt8.self),
                    row.load(fromByteOffset: start + 2, as: UInt8.self)
                )
                let backdrop = SIMD3<Float>(values) / 255
                let blended = backdrop + strength * (blend(backdrop, source) - backdrop)
                let rounded = (blended * 255 + 0.5).rounded(.down)
                let result = SIMD3<UInt8>(rounded.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255)))
                for band in 0..<3 {
                    unsafe target.storeBytes(of: result[band], toByteOffset: start + band, as: UInt8.self)
                }
            }
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
