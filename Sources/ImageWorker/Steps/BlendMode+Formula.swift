import ImagePlan

extension BlendMode {
    /// The blend function B(backdrop, source) of values 0–1; `nil` for modes that only combine alpha.
    ///
    /// W3C Compositing and Blending 1 §10.1.
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
        case .clear, .source, .sourceIn, .sourceOut, .dest, .destOver, .destIn, .destOut, .destAtop, .xor, .add,
            .saturate:
            nil
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
            .softLight, .difference, .exclusion:
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
