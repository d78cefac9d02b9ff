import CLCMS
import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Embedded matrix profiles, compared with libvips' conversion through CIELAB.
@Suite(.timeLimit(.minutes(1)))
struct ProfileTests {
    init() { precondition(Workbench.isStarted) }

    /// Primaries as chromaticities x, y, and the curve's exponent.
    enum Space: CaseIterable {
        case displayP3, adobeRGB, proPhoto

        var primaries: [Double] {
            switch self {
            case .displayP3: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
            case .adobeRGB: [0.640, 0.330, 0.210, 0.710, 0.150, 0.060]
            case .proPhoto: [0.7347, 0.2653, 0.1596, 0.8404, 0.0366, 0.0001]
            }
        }
        var exponent: Double { self == .proPhoto ? 1.8 : 2.2 }
    }

    @Test(arguments: Space.allCases, [false, true])
    func `colours match libvips' conversion`(space: Space, hasAlpha: Bool) throws {
        let raster = try tagged(Self.colours(hasAlpha: hasAlpha), with: Self.profile(space))
        let deadline = Deadline(milliseconds: 60_000)
        let made = try Workbench.pixels(of: raster.convertedToSRGB(deadline).inMemory())
        let expected = try Workbench.pixels(
            of: Raster.make("test") { out in
                unsafe edge_vips_icc_to_srgb(raster.pointer, &out, "srgb", VIPS_INTENT_RELATIVE)
            }
            .inMemory()
        )
        withExtendedLifetime(deadline) {}
        #expect(made.channels == expected.channels)
        let differences = zip(made.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }
        // For colours outside sRGB, rounding before clipping matters most.
        #expect(differences.max() ?? 0 <= 3, "\(space): \(differences.max() ?? 0)")
        #expect(ImageComparison.meanDifference(made, expected) < 0.5)
        #expect(ImageComparison.meanDifference(made, Self.colours(hasAlpha: hasAlpha)) > 2)
    }

    @Test(arguments: Space.allCases, [3, 4])
    func `tables differ from Little CMS by one level at most`(space: Space, bands: Int) throws {
        let conversion = try #require(ProfileConversion(profile: Self.profile(space)))
        let levels = (0...51).map { UInt8($0 * 5) }
        let before: [UInt8] = levels.flatMap { red in
            levels.flatMap { green in levels.flatMap { [red, green, $0, 7][..<bands] } }
        }
        let pixels = before.count / bands
        var (made, expected) = ([UInt8](repeating: 1, count: before.count), [UInt8](repeating: 1, count: before.count))
        unsafe before.withUnsafeBytes { source in
            unsafe made.withUnsafeMutableBytes { target in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                unsafe conversion.convert(source, to: target, pixels: pixels, hasAlpha: bands == 4)
            }
        }
        Self.convertByLittleCMS(
            before,
            to: &expected,
            pixels: pixels,
            profile: Self.profile(space),
            bands: bands
        )
        #expect(conversion.usesTables)
        #expect(zip(made, expected).map { abs(Int($0) - Int($1)) }.max() ?? 2 <= 1)
    }

    @Test func `a profile whose black is not 0 is left to Little CMS`() throws {
        let conversion = ProfileConversion(profile: Self.profile(.displayP3, table: [2000, 30_000, 65_535]))
        #expect(conversion?.usesTables == false)
    }

    @Test func `an equivalent of sRGB changes no pixel`() throws {
        let picture = Self.colours(hasAlpha: false)
        let profile = unsafe Self.bytes(of: cmsCreate_sRGBProfile())
        let deadline = Deadline(milliseconds: 60_000)
        let made = try tagged(picture, with: profile).convertedToSRGB(deadline)
        #expect(try Workbench.pixels(of: made.inMemory()).bytes == picture.bytes)
        #expect(ProfileConversion(profile: profile)?.isIdentity == true)
        withExtendedLifetime(deadline) {}
    }

    @Test func `meta=keep replaces the source's profile by sRGB and keeps other metadata`() throws {
        let raster = try tagged(Self.colours(hasAlpha: false), with: Self.profile(.displayP3))
        let source = try Workbench.encodeWithMetadata(raster, as: .jpeg)
        let kept = try Workbench.metadata(Workbench.make("meta=keep&format=jpeg", of: source, as: .jpeg))
        let profile = try #require(kept.bytes("icc-profile-data"))
        #expect(profile != Self.profile(.displayP3))
        #expect(ProfileConversion(profile: profile)?.isIdentity == true)
        #expect(kept.has("exif-ifd0-Make"))
        let stripped = try Workbench.metadata(Workbench.make("format=jpeg", of: source, as: .jpeg))
        #expect(!stripped.has("icc-profile-data"))
    }

    @Test func `other profiles are left to libvips`() throws {
        var conversions = ProfileConversions()
        let lab = unsafe Self.bytes(of: cmsCreateLab2Profile(nil))
        #expect(conversions.conversion(of: lab) == nil)
        #expect(conversions.conversion(of: []) == nil)
        #expect(conversions.conversion(of: [UInt8](repeating: 0, count: 128)) == nil)
        let large = Self.profile(.displayP3) + [UInt8](repeating: 0, count: 65_536)
        #expect(conversions.conversion(of: large) == nil)
        // A table for one intent serves for all; only its presence is looked at.
        var withTable = Self.profile(.displayP3)
        let unused = try #require(withTable.firstRange(of: Array("cprt".utf8)))
        withTable.replaceSubrange(unused, with: Array("A2B0".utf8))
        #expect(conversions.conversion(of: withTable) == nil)
        #expect(DeepCurves(profile: withTable, isGrey: false) == nil)
        #expect(DeepCurves(profile: Self.profile(.displayP3), isGrey: false) != nil)
        // Each truncated profile is refused or read, and never past its end.
        let whole = Self.profile(.adobeRGB)
        for count in stride(from: 0, to: whole.count, by: 7) { _ = ProfileConversion(profile: Array(whole[..<count])) }
    }

    @Test func `conversions are cached for the next image, up to a limit`() {
        var conversions = ProfileConversions()
        let profile = Self.profile(.displayP3)
        let first = conversions.conversion(of: profile)
        #expect(first != nil)
        #expect(conversions.conversion(of: profile) === first)
        for count in 1...8 { _ = conversions.conversion(of: [UInt8](repeating: 1, count: count)) }
        #expect(conversions.conversion(of: profile) !== first)
    }

    private func tagged(_ picture: PixelImage, with profile: [UInt8]) throws -> Raster {
        let raster = try Raster.sRGB(
            picture.bytes,
            width: picture.width,
            height: picture.height,
            bands: picture.channels
        )
        unsafe vips_image_set_blob_copy(raster.pointer, "icc-profile-data", profile, profile.count)
        unsafe vips_image_set_string(raster.pointer, "exif-ifd0-Make", "Camera (Camera, ASCII, 7 components, 7 bytes)")
        return raster
    }

    /// Colours all over the cube.
    private static func colours(hasAlpha: Bool) -> PixelImage {
        let rgba = PixelImage(width: 64, height: 64) { x, y in
            [UInt8(x * 4), UInt8(y * 4), UInt8((x * 7 + y * 13) % 256), hasAlpha ? UInt8((x + y) * 2) : 255]
        }
        guard !hasAlpha else { return rgba }
        let rgb = rgba.bytes.indices.filter { $0 % 4 != 3 }.map { rgba.bytes[$0] }
        return PixelImage(width: 64, height: 64, channels: 3, bytes: rgb)
    }

    private static func convertByLittleCMS(
        _ source: [UInt8],
        to target: inout [UInt8],
        pixels: Int,
        profile: [UInt8],
        bands: Int
    ) {
        let own = unsafe cmsOpenProfileFromMem(profile, UInt32(profile.count))
        let wanted = unsafe cmsCreate_sRGBProfile()
        let format = bands == 4 ? edge_lcms_rgba : edge_lcms_rgb
        let flags = UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE | cmsFLAGS_COPY_ALPHA)
        let intent = UInt32(INTENT_RELATIVE_COLORIMETRIC)
        let transform = unsafe cmsCreateTransform(own, format, wanted, format, intent, flags)
        defer {
            unsafe cmsDeleteTransform(transform)
            unsafe cmsCloseProfile(own)
            unsafe cmsCloseProfile(wanted)
        }
        unsafe cmsDoTransform(transform, source, &target, UInt32(pixels))
    }

    /// - Parameter table: a curve in place of that of the space.
    static func profile(_ space: Space, table: [UInt16]? = nil) -> [UInt8] {
        let xy = space.primaries
        var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
        var primaries = cmsCIExyYTRIPLE(
            Red: cmsCIExyY(x: xy[0], y: xy[1], Y: 1),
            Green: cmsCIExyY(x: xy[2], y: xy[3], Y: 1),
            Blue: cmsCIExyY(x: xy[4], y: xy[5], Y: 1)
        )
        let curve = unsafe table.map { unsafe cmsBuildTabulatedToneCurve16(nil, UInt32($0.count), $0) }
        let used = unsafe curve ?? cmsBuildGamma(nil, space.exponent)
        defer { unsafe cmsFreeToneCurve(used) }
        var curves = unsafe [used, used, used]
        return unsafe bytes(of: cmsCreateRGBProfile(&white, &primaries, &curves))
    }

    /// A grey profile whose curve is a table.
    static func greyProfile(table: [UInt16]) -> [UInt8] {
        var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
        let curve = unsafe cmsBuildTabulatedToneCurve16(nil, UInt32(table.count), table)
        defer { unsafe cmsFreeToneCurve(curve) }
        return unsafe bytes(of: cmsCreateGrayProfile(&white, curve))
    }

    static func bytes(of profile: cmsHPROFILE?) -> [UInt8] {
        defer { unsafe cmsCloseProfile(profile) }
        var count: cmsUInt32Number = 0
        unsafe cmsSaveProfileToMem(profile, nil, &count)
        var bytes = [UInt8](repeating: 0, count: Int(count))
        unsafe bytes.withUnsafeMutableBytes { buffer in
            _ = unsafe cmsSaveProfileToMem(profile, buffer.baseAddress, &count)
        }
        return bytes
    }
}
