import CVips
import ImagePlan

/// The meaning of RGB values that a file states by numbers rather than by a profile: primaries, white point and transfer curve.
struct StatedColour: Hashable {
    var primaries = Primaries.sRGB
    var transfer = Transfer.sRGB
    /// Whether values use the full range; otherwise black is 16 and white is 235 of 255 (H.273, VideoFullRangeFlag).
    var isFullRange = true

    /// CIE 1931 x and y of the three primaries and of the white point.
    struct Primaries: Hashable {
        var red: SIMD2<Double>
        var green: SIMD2<Double>
        var blue: SIMD2<Double>
        var white: SIMD2<Double>

        static let sRGB = Primaries(
            red: [0.64, 0.33],
            green: [0.30, 0.60],
            blue: [0.15, 0.06],
            white: [0.3127, 0.3290]
        )

        /// Whether all are sRGB's, apart from rounding.
        var areSRGB: Bool {
            let own = [red, green, blue, white]
            let others = [Self.sRGB.red, Self.sRGB.green, Self.sRGB.blue, Self.sRGB.white]
            return zip(own, others).allSatisfy { abs($0.x - $1.x) < 0.002 && abs($0.y - $1.y) < 0.002 }
        }
    }

    /// The transfer curve from a value of 0–1 to light.
    enum Transfer: Hashable {
        case sRGB
        /// A power function with this exponent; 1 for linear light.
        case gamma(Double)
        /// SMPTE ST 2084 (PQ): absolute, up to 10,000 cd/m².
        case perceptualQuantizer
        /// ITU-R BT.2100's hybrid log-gamma.
        case hybridLogGamma
    }

    /// Whether the values are sRGB's.
    var isSRGB: Bool { primaries.areSRGB && transfer == .sRGB && isFullRange }

    /// Reads the colours of an AVIF or HEIC file; `nil` if there are none or they are unsupported.
    init?(heif source: SourceMapping) {
        guard let colour = source.withSpan({ bytes in HEIFColour(bytes) }) else { return nil }
        self.init(primaries: colour.primaries, transfer: colour.transfer)
    }

    init(primaries: Primaries = .sRGB, transfer: Transfer = .sRGB, isFullRange: Bool = true) {
        self.primaries = primaries
        self.transfer = transfer
        self.isFullRange = isFullRange
    }
}

extension Raster {
    /// Applies the colours that an AVIF or HEIC file states.
    ///
    /// An embedded profile takes precedence (MIAF, ISO/IEC 23000-22 §7.3.6.4); the numbers then only describe the Y′CbCr conversion.
    func withColour(_ colour: StatedColour?) throws(VipsError) -> Raster {
        guard let colour, !has(VIPS_META_ICC_NAME) else { return self }
        return try described(by: colour)
    }

    /// Applies the colours that a PNG states: cICP takes precedence over a profile, and a profile over the rest (PNG, third edition, §4.3).
    func withColour(_ stated: PNGColour) throws(VipsError) -> Raster {
        if let colour = stated.codingPoints { return try described(by: colour) }
        guard let colour = stated.gammaAndPrimaries, !has(VIPS_META_ICC_NAME) else { return self }
        return try described(by: colour)
    }

    /// Attaches a profile equivalent to stated colours, or none if they are sRGB's or no profile can be made.
    ///
    /// Grey images are converted at once, since they need the curve alone and Little CMS's grid of 33 steps is off by 10 of 255 in dark
    /// linear values.
    private func described(by colour: StatedColour) throws(VipsError) -> Raster {
        let isGrey = bands < 3 && (format == VIPS_FORMAT_UCHAR || format == VIPS_FORMAT_USHORT)
        let profile = colour.isSRGB || isGrey ? nil : colour.profile(isGrey: bands < 3)
        let picture = isGrey && !colour.isSRGB ? try greys(by: colour) : self
        if profile == nil, !has(VIPS_META_ICC_NAME) { return picture }
        return try picture.withMetadata { metadata in
            if let profile {
                metadata.set(VIPS_META_ICC_NAME, profile)
            } else {
                metadata.remove(VIPS_META_ICC_NAME)
            }
        }
    }

    /// Converts one channel to 8 bits of sRGB's curve, and keeps alpha.
    private func greys(by colour: StatedColour) throws(VipsError) -> Raster {
        let most = format == VIPS_FORMAT_USHORT ? 65_535 : 255
        let greys = (0...most).map { colour.valueInSRGB(of: Double($0) / Double(most)) }
        let alphas = (0...most).map { UInt8(most == 255 ? $0 : $0 >> 8) }
        let mapped = try mapped(by: bands == 2 ? [greys, alphas] : [greys])
        return try mapped.interpreted(as: VIPS_INTERPRETATION_B_W)
    }
}
