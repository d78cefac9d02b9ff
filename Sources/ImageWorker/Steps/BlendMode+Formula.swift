import ImagePlan

extension BlendMode {
    /// The blend function B(backdrop, source) of values 0–1; `nil` for modes that only combine alpha, or need the whole colour.
    ///
    /// W3C Compositing and Blending 1 §10.1; `plus-darker` is Core Graphics' formula for opaque colours.
    var formula: ((_ backdrop: Double, _ source: Double) -> Double)? {
        switch self {
        case .over, .sourceAtop: { _, source in source }
        case .multiply: { $0 * $1 }
        case .screen: { $0 + $1 - $0 * $1 }
        case .overlay: { Self.hardLight(backdrop: $1, source: $0) }
        case .darken: { min($0, $1) }
        case .lighten: { max($0, $1) }
        case .colourDodge: { $0 == 0 ? 0 : $1 == 1 ? 1 : min(1, $0 / (1 - $1)) }
        case .colourBurn: { $0 == 1 ? 1 : $1 == 0 ? 0 : 1 - min(1, (1 - $0) / $1) }
        case .hardLight: { Self.hardLight(backdrop: $0, source: $1) }
        case .softLight: { Self.softLight(backdrop: $0, source: $1) }
        case .difference: { abs($0 - $1) }
        case .exclusion: { $0 + $1 - 2 * $0 * $1 }
        case .plusDarker: { max(0, $0 + $1 - 1) }
        case .clear, .source, .sourceIn, .sourceOut, .dest, .destOver, .destIn, .destOut, .destAtop, .xor, .add,
            .saturate, .hue, .saturation, .colour, .luminosity:
            nil
        }
    }

    /// The blend function B(backdrop, source) of colours 0–1; `nil` for modes that are not one of the four that need it.
    ///
    /// W3C Compositing and Blending 1 §10.2, and PDF 1.7 §11.3.5.3.
    var colourFormula: ((_ backdrop: SIMD3<Float>, _ source: SIMD3<Float>) -> SIMD3<Float>)? {
        switch self {
        case .hue: { $1.withSpread(of: $0).withLightness(of: $0) }
        case .saturation: { $0.withSpread(of: $1).withLightness(of: $0) }
        case .colour: { $1.withLightness(of: $0) }
        case .luminosity: { $0.withLightness(of: $1) }
        default: nil
        }
    }

    /// Returns the shares of a backdrop that `formula` has blended and of a source with an alpha.
    ///
    /// libvips' composite2 is not used: version 8.14 gives wrong values for `dest-atop`, `saturate` and every separable mode under a
    /// translucent colour, and truncates instead of rounding.
    func mix(under strength: Double) -> AlphaMix {
        switch self {
        case .clear: AlphaMix(backdrop: { _ in 0 }, source: { _ in 0 })
        case .source: AlphaMix(backdrop: { _ in 0 }, source: { _ in strength })
        case .sourceIn: AlphaMix(backdrop: { _ in 0 }, source: { strength * $0 })
        case .sourceOut: AlphaMix(backdrop: { _ in 0 }, source: { strength * (1 - $0) })
        case .sourceAtop, .dest: AlphaMix(backdrop: { $0 }, source: { _ in 0 })
        case .destIn: AlphaMix(backdrop: { strength * $0 }, source: { _ in 0 })
        case .destOut: AlphaMix(backdrop: { (1 - strength) * $0 }, source: { _ in 0 })
        case .destAtop: AlphaMix(backdrop: { strength * $0 }, source: { strength * (1 - $0) })
        case .xor: AlphaMix(backdrop: { (1 - strength) * $0 }, source: { strength * (1 - $0) })
        case .add: AlphaMix(backdrop: { $0 }, source: { _ in strength })
        case .saturate: AlphaMix(backdrop: { $0 }, source: { min(strength, 1 - $0) })
        case .destOver, .over, .multiply, .screen, .overlay, .darken, .lighten, .colourDodge, .colourBurn, .hardLight,
            .softLight, .difference, .exclusion, .plusDarker, .hue, .saturation, .colour, .luminosity:
            AlphaMix(backdrop: { $0 }, source: { strength * (1 - $0) })
        }
    }

    private static func hardLight(backdrop: Double, source: Double) -> Double {
        guard source > 0.5 else { return backdrop * 2 * source }
        let light = 2 * source - 1
        return backdrop + light - backdrop * light
    }

    private static func softLight(backdrop: Double, source: Double) -> Double {
        guard source > 0.5 else { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
        let curve = backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
        return backdrop + (2 * source - 1) * (curve - backdrop)
    }
}

extension SIMD3<Float> {
    /// Lum: the weighted mean of the values.
    private var lightness: Float { 0.3 * x + 0.59 * y + 0.11 * z }

    /// SetSat: the colour with the distance from the least to the greatest value of another one; the least becomes 0.
    fileprivate func withSpread(of other: SIMD3<Float>) -> SIMD3<Float> {
        let (least, spread) = (self.min(), self.max() - self.min())
        return spread > 0 ? (self - least) * ((other.max() - other.min()) / spread) : .zero
    }

    /// SetLum and ClipColor: the colour with the lightness of another one, nearer to grey where values would leave 0–1.
    fileprivate func withLightness(of other: SIMD3<Float>) -> SIMD3<Float> {
        let lightness = other.lightness
        let moved = self + (lightness - self.lightness)
        let (least, greatest) = (moved.min(), moved.max())
        if least < 0 { return lightness + (moved - lightness) * (lightness / (lightness - least)) }
        // Rounding may have made the lightness of white more than 1, and equal to the greatest value.
        guard greatest > 1, greatest > lightness else { return moved }
        return lightness + (moved - lightness) * ((1 - lightness) / (greatest - lightness))
    }
}
