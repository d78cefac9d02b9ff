import CLCMS
import Glibc
import ImagePlan

extension StatedColour {
    /// The steps of a tabulated curve, which include all 8-bit values.
    private static let steps = 4081

    /// Returns an equivalent ICC profile with deterministic bytes; `nil` for degenerate primaries.
    ///
    /// - Parameter isGrey: whether the image has one channel, and so no primaries.
    func profile(isGrey: Bool) -> [UInt8]? {
        guard let curve = unsafe toneCurve() else { return nil }
        defer { unsafe cmsFreeToneCurve(curve) }
        var white = cmsCIExyY(x: primaries.white.x, y: primaries.white.y, Y: 1)
        var triple = cmsCIExyYTRIPLE(
            Red: cmsCIExyY(x: primaries.red.x, y: primaries.red.y, Y: 1),
            Green: cmsCIExyY(x: primaries.green.x, y: primaries.green.y, Y: 1),
            Blue: cmsCIExyY(x: primaries.blue.x, y: primaries.blue.y, Y: 1)
        )
        var curves: [OpaquePointer?] = unsafe [curve, curve, curve]
        let made =
            isGrey
            ? unsafe cmsCreateGrayProfile(&white, curve) : unsafe cmsCreateRGBProfile(&white, &triple, &curves)
        guard let profile = unsafe made else { return nil }
        defer { unsafe cmsCloseProfile(profile) }
        return unsafe Self.bytes(of: profile)
    }

    private static func bytes(of profile: cmsHPROFILE) -> [UInt8]? {
        var count: cmsUInt32Number = 0
        guard unsafe cmsSaveProfileToMem(profile, nil, &count) != 0, count > 128 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let isSaved = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe cmsSaveProfileToMem(profile, buffer.baseAddress, &count) != 0
        }
        guard isSaved else { return nil }
        // ICC.1 §7.2.8: clear the creation time, which would make equal profiles differ.
        for index in 24..<36 { bytes[index] = 0 }
        return bytes
    }

    private func toneCurve() -> OpaquePointer? {
        switch transfer {
        case .sRGB where isFullRange:
            // IEC 61966-2-1.
            unsafe cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case .gamma(let exponent) where isFullRange: unsafe cmsBuildGamma(nil, exponent)
        default: unsafe cmsBuildTabulatedToneCurve16(nil, UInt32(Self.steps), table)
        }
    }

    private var table: [UInt16] {
        (0..<Self.steps).map { step in
            UInt16((light(of: Double(step) / Double(Self.steps - 1)) * 65_535).rounded())
        }
    }

    /// The linear light of a stored value, both 0–1.
    private func light(of value: Double) -> Double {
        let whole = isFullRange ? value : min(max((value * 255 - 16) / 219, 0), 1)
        return min(max(transfer.light(of: whole), 0), 1)
    }

    /// The 8-bit sRGB value with the same light as a stored value.
    ///
    /// - Parameter value: the stored value, 0–1.
    func valueInSRGB(of value: Double) -> UInt8 { SRGBTransfer.stored(light(of: value)) }
}

extension StatedColour.Transfer {
    /// The linear light of a value of 0–1, relative to display white.
    ///
    /// High dynamic range is tone-mapped to standard range, each channel by itself (`shown`).
    func light(of value: Double) -> Double {
        switch self {
        case .sRGB: value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        case .gamma(let exponent): pow(value, exponent)
        case .perceptualQuantizer: Self.shown(Self.quantizedLight(value))
        case .hybridLogGamma: Self.shown(Self.logarithmicLight(value))
        }
    }

    /// The reference white of high dynamic range images, in cd/m² (ITU-R BT.2408 §2.1).
    private static let referenceWhite = 203.0
    /// The light that is mapped to white, and hybrid log-gamma's nominal peak, in cd/m² (BT.2100 table 5).
    private static let peak = 1000.0
    /// The share of the reference white up to which light is unchanged.
    private static let knee = 0.5

    /// The curve of SMPTE ST 2084, relative to the reference white.
    private static func quantizedLight(_ value: Double) -> Double {
        let (m1, m2) = (2610.0 / 16_384, 2523.0 / 4096 * 128)
        let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
        let root = pow(value, 1 / m2)
        return 10_000 / referenceWhite * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    /// The curve of hybrid log-gamma (BT.2100 table 5): the inverse OETF, and the OOTF with a gamma of 1.2 per channel.
    private static func logarithmicLight(_ value: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        let scene = value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
        return peak / referenceWhite * pow(scene, 1.2)
    }

    /// Tone-maps light of 0 to `peak` to 0–1: unchanged up to the knee, then along a curve that starts with the same slope and ends at white.
    private static func shown(_ light: Double) -> Double {
        guard light > knee else { return light }
        let room = 1 - knee
        let over = (light - knee) / room
        let most = (peak / referenceWhite - knee) / room
        guard over < most else { return 1 }
        return knee + room * over * (1 + over / (most * most)) / (1 + over)
    }
}
