import CLCMS

/// The conversion of 16-bit samples to linear light of sRGB: the curves of an ICC profile, and its matrix if it is one of RGB.
///
/// For 16-bit samples, Little CMS resamples such a profile into a table of few colours. Where sRGB's gamut ends, its values are off by up
/// to 26 of 255, and dark values of linear light by 10.
struct DeepCurves {
    /// The light of each 16-bit value, from 0 to 65,535: one table for all channels, or one per channel.
    let tables: [[Float]]
    /// The factors from the light of three channels to that of sRGB's, row by row; `nil` if they are the same.
    private(set) var matrix: [Double]?

    /// The steps at which a curve is evaluated, a multiple of 255, so that they include all 8-bit values.
    private static let steps = 4080
    private static let largest = 65_535
    /// The largest profile to examine, in bytes.
    private static let longestProfile = 65_536

    /// Values that are linear light of sRGB.
    static let linear = DeepCurves(tables: [(0...largest).map { Float($0) }])

    private init(tables: [[Float]]) { self.tables = tables }

    /// Reads a profile; `nil` for one with tables, for another colour space, for one whose black is not 0, which needs black point
    /// compensation, and for numbers of no use.
    init?(profile bytes: [UInt8], isGrey: Bool) {
        guard bytes.count <= Self.longestProfile else { return nil }
        let opened = unsafe bytes.withUnsafeBytes { unsafe cmsOpenProfileFromMem($0.baseAddress, UInt32($0.count)) }
        guard let profile = unsafe opened else { return nil }
        defer { unsafe cmsCloseProfile(profile) }
        let intent = UInt32(INTENT_RELATIVE_COLORIMETRIC)
        let space = isGrey ? cmsSigGrayData : cmsSigRgbData
        guard unsafe cmsGetColorSpace(profile) == space,
            unsafe cmsGetPCS(profile) == cmsSigXYZData, unsafe cmsIsMatrixShaper(profile) != 0,
            unsafe cmsIsCLUT(profile, intent, UInt32(LCMS_USED_AS_INPUT)) == 0,
            // Little CMS takes the perceptual table for every intent that has none.
            unsafe cmsIsTag(profile, cmsSigAToB0Tag) == 0
        else { return nil }
        var tables: [[Float]] = []
        let tags = isGrey ? [cmsSigGrayTRCTag] : [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
        for tag in tags {
            guard let curve = unsafe cmsReadTag(profile, tag) else { return nil }
            let tone = OpaquePointer(curve)
            guard unsafe cmsEvalToneCurveFloat(tone, 0) == 0 else { return nil }
            var lights: [Double] = []
            for step in 0...Self.steps {
                lights.append(unsafe Double(cmsEvalToneCurveFloat(tone, Float(step) / Float(Self.steps))))
            }
            guard lights.allSatisfy({ abs($0) < 1e6 }) else { return nil }
            tables.append(Self.table(lights))
        }
        self.tables = tables
        guard !isGrey else { return }
        guard let target = unsafe cmsCreate_sRGBProfile() else { return nil }
        defer { unsafe cmsCloseProfile(target) }
        guard let rows = unsafe MatrixTables.matrix(from: profile, to: target) else { return nil }
        let factors = rows.flatMap { $0 }
        guard factors.allSatisfy({ abs($0) < 1e6 }) else { return nil }
        matrix = factors
    }

    /// Interpolates between the steps of a curve.
    private static func table(_ lights: [Double]) -> [Float] {
        (0...largest).map { value in
            let place = Double(value * steps) / Double(largest)
            let step = min(Int(place), steps - 1)
            let light = lights[step] + (lights[step + 1] - lights[step]) * (place - Double(step))
            return Float(light * Double(largest))
        }
    }
}
