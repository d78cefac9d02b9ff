import CLCMS
import CVips
import LinuxSystem

/// The conversion from one RGB matrix profile to 8-bit sRGB; cameras and phones embed such profiles, such as Display P3.
///
/// libvips converts through CIELAB in floats and prepares both directions for each image, which took a fifth of the time of a 512 px
/// result of a 12 MP photograph. Tables or Little CMS convert directly, and what is prepared is reused for the same profile. `DeepCurves`
/// converts 16-bit samples, and libvips other kinds of profiles and colour spaces.
///
/// `@unchecked Sendable`: nothing changes after `init`, and Little CMS only reads a transform made without its one-pixel cache.
@safe
final class ProfileConversion: @unchecked Sendable {
    private let way: Way

    /// Whether it changes no colour by more than `invisible`, because the profile is equivalent to sRGB.
    let isIdentity: Bool
    /// Whether red, green and blue have themselves as their largest channel afterwards, as those of Display P3 do.
    let keepsPrimaries: Bool

    /// The largest difference of a channel, of 255, that rounding explains.
    private static let invisible = 1
    /// The step of channel values at which a conversion is compared with sRGB.
    private static let samples = 17

    @safe
    private enum Way {
        case tables(MatrixTables)
        case littleCMS(rgb: cmsHTRANSFORM, rgba: cmsHTRANSFORM)
    }

    /// Prepares the conversion; `nil` for anything but an RGB matrix profile.
    init?(profile bytes: [UInt8]) {
        guard let way = Self.way(from: bytes) else { return nil }
        self.way = way
        isIdentity = Self.changesNothing(way)
        let primaries = Self.converted([255, 0, 0, 0, 255, 0, 0, 0, 255], way)
        keepsPrimaries = (0..<3).allSatisfy { primaries[4 * $0] == primaries[3 * $0..<3 * $0 + 3].max() }
    }

    deinit {
        guard case .littleCMS(let rgb, let rgba) = way else { return }
        unsafe cmsDeleteTransform(rgb)
        unsafe cmsDeleteTransform(rgba)
    }

    /// Whether tables convert, and not Little CMS.
    var usesTables: Bool { if case .tables = way { true } else { false } }

    /// Converts pixels; alpha is copied unchanged.
    func convert(
        _ source: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer,
        pixels: Int,
        hasAlpha: Bool
    ) {
        unsafe Self.convert(source, to: target, pixels: pixels, hasAlpha: hasAlpha, way)
    }

    private static func convert(
        _ source: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer,
        pixels: Int,
        hasAlpha: Bool,
        _ way: Way
    ) {
        switch way {
        case .tables(let tables): unsafe tables.convert(source, to: target, pixels: pixels, bands: hasAlpha ? 4 : 3)
        case .littleCMS(let rgb, let rgba): unsafe cmsDoTransform(hasAlpha ? rgba : rgb, source, target, UInt32(pixels))
        }
    }

    private static func way(from bytes: [UInt8]) -> Way? {
        let opened = unsafe bytes.withUnsafeBytes { unsafe cmsOpenProfileFromMem($0.baseAddress, UInt32($0.count)) }
        guard let profile = unsafe opened, let target = unsafe cmsCreate_sRGBProfile() else { return nil }
        defer {
            unsafe cmsCloseProfile(profile)
            unsafe cmsCloseProfile(target)
        }
        let intent = UInt32(INTENT_RELATIVE_COLORIMETRIC)
        guard unsafe cmsGetColorSpace(profile) == cmsSigRgbData, unsafe cmsIsMatrixShaper(profile) != 0,
            unsafe cmsIsCLUT(profile, intent, UInt32(LCMS_USED_AS_INPUT)) == 0,
            // Little CMS takes the perceptual table for every intent that has none.
            unsafe cmsIsTag(profile, cmsSigAToB0Tag) == 0
        else { return nil }
        if let tables = unsafe MatrixTables(profile, target: target) { return .tables(tables) }
        let flags = UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE)
        guard let rgb = unsafe cmsCreateTransform(profile, edge_lcms_rgb, target, edge_lcms_rgb, intent, flags) else {
            return nil
        }
        guard
            let rgba = unsafe cmsCreateTransform(
                profile,
                edge_lcms_rgba,
                target,
                edge_lcms_rgba,
                intent,
                flags | UInt32(cmsFLAGS_COPY_ALPHA)
            )
        else {
            unsafe cmsDeleteTransform(rgb)
            return nil
        }
        return unsafe .littleCMS(rgb: rgb, rgba: rgba)
    }

    private static func changesNothing(_ way: Way) -> Bool {
        let levels = (0..<samples).map { UInt8($0 * 255 / (samples - 1)) }
        let before = levels.flatMap { red in levels.flatMap { green in levels.flatMap { [red, green, $0] } } }
        let after = converted(before, way)
        return zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= invisible }
    }

    private static func converted(_ before: [UInt8], _ way: Way) -> [UInt8] {
        var after = [UInt8](repeating: 0, count: before.count)
        unsafe before.withUnsafeBytes { source in
            unsafe after.withUnsafeMutableBytes { target in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                unsafe convert(source, to: target, pixels: before.count / 3, hasAlpha: false, way)
            }
        }
        return after
    }
}

/// A cache of the most recently used conversions, since a site's photographs come from few cameras.
struct ProfileConversions {
    /// The maximum number of conversions to keep, at 12 kB each, or some 100 kB where Little CMS converts.
    private static let capacity = 8
    /// The largest profile to examine, in bytes; a matrix profile takes a few thousand.
    private static let longestProfile = 65_536

    /// Profiles and their conversions, the most recent last; `nil` for a profile that libvips converts.
    private var entries: [(profile: [UInt8], conversion: ProfileConversion?)] = []

    /// Returns the conversion of a profile; `nil` if libvips must convert it.
    mutating func conversion(of profile: [UInt8]) -> ProfileConversion? {
        guard profile.count <= Self.longestProfile else { return nil }
        if let index = entries.lastIndex(where: { $0.profile == profile }) {
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.conversion
        }
        if entries.count == Self.capacity { entries.removeFirst() }
        let conversion = ProfileConversion(profile: profile)
        entries.append((profile, conversion))
        return conversion
    }
}
