import CLCMS
import CVips
import LinuxSystem

/// The way from one RGB profile of curves and a matrix to 8-bit sRGB: what cameras and telephones embed (Display P3, Adobe RGB and
/// sRGB itself among them).
///
/// libvips goes through CIELAB in floats and prepares both ways anew for each picture: measured, a fifth of a 12 MP photograph's
/// 512 px result. Little CMS goes there at once, and what it prepared serves the next picture with the same profile. Profiles of
/// other kinds, other depths and other colour spaces stay with libvips.
///
/// `@unchecked Sendable`: nothing changes after `init`, and Little CMS only reads a transform made without its one-pixel cache.
@safe
final class ProfileConversion: @unchecked Sendable {
    private let transforms: Transforms

    /// Whether it changes no colour by more than `invisible`: the profile is sRGB by another name.
    let isIdentity: Bool

    /// A difference of a channel, of 255, that rounding makes.
    private static let invisible = 1
    /// Steps of a channel at which a conversion is compared with sRGB.
    private static let samples = 17

    private typealias Transforms = (rgb: cmsHTRANSFORM, rgba: cmsHTRANSFORM)

    /// Prepares the conversion; `nil` for profiles that are not of curves and a matrix, or not for RGB.
    init?(profile bytes: [UInt8]) {
        guard let transforms = unsafe Self.transforms(from: bytes) else { return nil }
        unsafe self.transforms = transforms
        isIdentity = unsafe Self.changesNothing(transforms.rgb)
    }

    deinit {
        unsafe cmsDeleteTransform(transforms.rgb)
        unsafe cmsDeleteTransform(transforms.rgba)
    }

    /// Converts rows of pixels from one place to another; alpha stays as it is.
    func convert(
        _ source: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer,
        pixels: Int,
        hasAlpha: Bool
    ) {
        unsafe cmsDoTransform(hasAlpha ? transforms.rgba : transforms.rgb, source, target, UInt32(pixels))
    }

    private static func transforms(from bytes: [UInt8]) -> Transforms? {
        let opened = unsafe bytes.withUnsafeBytes { unsafe cmsOpenProfileFromMem($0.baseAddress, UInt32($0.count)) }
        guard let profile = unsafe opened, let target = unsafe cmsCreate_sRGBProfile() else { return nil }
        defer {
            unsafe cmsCloseProfile(profile)
            unsafe cmsCloseProfile(target)
        }
        let intent = UInt32(INTENT_RELATIVE_COLORIMETRIC)
        guard unsafe cmsGetColorSpace(profile) == cmsSigRgbData, unsafe cmsIsMatrixShaper(profile) != 0,
            unsafe cmsIsCLUT(profile, intent, UInt32(LCMS_USED_AS_INPUT)) == 0
        else { return nil }
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
        return unsafe (rgb, rgba)
    }

    private static func changesNothing(_ transform: cmsHTRANSFORM) -> Bool {
        let levels = (0..<samples).map { UInt8($0 * 255 / (samples - 1)) }
        let before = levels.flatMap { red in levels.flatMap { green in levels.flatMap { [red, green, $0] } } }
        var after = [UInt8](repeating: 0, count: before.count)
        unsafe before.withUnsafeBytes { source in
            unsafe after.withUnsafeMutableBytes { target in
                unsafe cmsDoTransform(transform, source.baseAddress, target.baseAddress, UInt32(before.count / 3))
            }
        }
        return zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= invisible }
    }
}

/// The conversions that pictures needed last, since a site's photographs come from few cameras.
struct ProfileConversions {
    /// The most that are kept, at some 100 kB each.
    private static let capacity = 8
    /// Bytes of the largest profile that is looked at here; curves and a matrix take a few thousand.
    private static let longestProfile = 65_536

    /// Profiles and their conversions, the last used last; `nil` for a profile that libvips is to read.
    private var entries: [(profile: [UInt8], conversion: ProfileConversion?)] = []

    /// The conversion of a profile; `nil` where libvips is to read it.
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
