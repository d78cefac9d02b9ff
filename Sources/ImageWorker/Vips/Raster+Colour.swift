import CVips
import ImagePlan
import LinuxSystem

extension Raster {
    /// Whether the pixels are 8-bit sRGB, with or without alpha, without an embedded profile.
    var isPlainSRGB: Bool {
        format == VIPS_FORMAT_UCHAR && interpretation == VIPS_INTERPRETATION_sRGB && (3...4).contains(bands)
            && !has(VIPS_META_ICC_NAME)
    }

    /// Whether the image may be scaled before conversion: grey and RGB in a space with a curve similar to sRGB's.
    ///
    /// CMYK, CIELAB and linear floats must be converted first.
    var mayScaleBeforeConversion: Bool {
        [
            VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16, VIPS_INTERPRETATION_B_W,
            VIPS_INTERPRETATION_GREY16,
        ].contains(interpretation) && (format == VIPS_FORMAT_UCHAR || format == VIPS_FORMAT_USHORT)
    }

    /// Returns the same pixels with another interpretation.
    func interpreted(as interpretation: VipsInterpretation) throws(VipsError) -> Raster {
        try Raster.make("copy") { out in unsafe edge_vips_copy_as(pointer, &out, interpretation) }
    }

    /// The rendering intent: relative colorimetric, or perceptual for a profile that has only a perceptual table.
    ///
    /// Such a profile (XYB JPEGs) would otherwise be silently applied without its table.
    private var intent: VipsIntent {
        guard let profile = bytes(VIPS_META_ICC_NAME), profile.count >= 132 else { return VIPS_INTENT_RELATIVE }
        func word(_ start: Int) -> Int { profile[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        // ICC.1 §7.3: the tag table is a count followed by 12 bytes per tag, the signature first.
        let tags = (0..<min(word(128), (profile.count - 132) / 12)).map { word(132 + $0 * 12) }
        let (perceptualTable, relativeTable) = (0x4132_4230, 0x4132_4231)
        return tags.contains(perceptualTable) && !tags.contains(relativeTable)
            ? VIPS_INTENT_PERCEPTUAL : VIPS_INTENT_RELATIVE
    }

    /// Converts to 8-bit sRGB with the embedded profile, if it fits.
    ///
    /// CMYK without a profile uses libvips' built-in CMYK profile.
    ///
    /// - Parameter deadline: the deadline for computing pixels; `nil` for none.
    func convertedToSRGB(_ deadline: Deadline?) throws(VipsError) -> Raster {
        if isPlainSRGB { return self }
        if let converted = try convertedFromFloats(deadline) { return converted }
        if let converted = try convertedFromCIELAB() { return converted }
        if let converted = try convertedByCurves(deadline) { return converted }
        if let converted = try convertedByDeepCurves() { return converted }
        let isCMYK = interpretation == VIPS_INTERPRETATION_CMYK
        if has(VIPS_META_ICC_NAME) || isCMYK {
            if let converted = try? convertedByProfile(isCMYK) { return converted }
            // A profile for another colour space, or one that lcms rejects, is ignored, as in browsers.
        }
        let converted = try Raster.make("colourspace") { out in
            unsafe edge_vips_colourspace(pointer, &out, VIPS_INTERPRETATION_sRGB)
        }
        let eight = try converted.cast(to: VIPS_FORMAT_UCHAR)
        return eight.bands > 4 ? try eight.bands(from: 0, count: 4) : eight
    }

    /// Converts with the embedded profile or libvips' CMYK profile.
    private func convertedByProfile(_ isCMYK: Bool) throws(VipsError) -> Raster {
        let isDeep = hasAlpha && format == VIPS_FORMAT_USHORT
        let colours = isDeep ? try bands(from: 0, count: bands - 1) : self
        let converted = try Raster.make("icc_transform") { out in
            unsafe edge_vips_icc_to_srgb(colours.pointer, &out, isCMYK ? "cmyk" : "srgb", intent)
        }
        // libvips 8.14 treats 16-bit alpha as 8-bit and makes nearly everything opaque.
        guard isDeep else { return converted }
        return try converted.joined(with: eightBitAlpha())
    }

    /// The maximum number of bytes of pixels to convert in memory; libvips streams larger images.
    private static let largestConverted = 64 << 20
    private static let conversions = Lock(ProfileConversions())

    /// The conversion of an image with a matrix profile; `nil` if libvips must convert it.
    private var curves: (profile: [UInt8], conversion: ProfileConversion)? {
        guard format == VIPS_FORMAT_UCHAR, (3...4).contains(bands),
            [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB].contains(interpretation),
            let profile = bytes(VIPS_META_ICC_NAME),
            let conversion = Self.conversions.withLock({ $0.conversion(of: profile) })
        else { return nil }
        return (profile, conversion)
    }

    /// The matrix profile of a space in which red, green and blue are what they are in sRGB, such as Display P3; `nil` if there is
    /// none, or pixels need no conversion.
    var wideProfile: [UInt8]? {
        guard let (profile, conversion) = curves, !conversion.isIdentity else { return nil }
        return conversion.keepsPrimaries ? profile : nil
    }

    /// Converts an image with a matrix profile; `nil` if libvips must convert it.
    private func convertedByCurves(_ deadline: Deadline?) throws(VipsError) -> Raster? {
        guard let (_, conversion) = curves else { return nil }
        let hasAlpha = bands == 4
        var converted = self
        if !conversion.isIdentity {
            guard width.multipliedSaturated(by: height * bands) <= Self.largestConverted else { return nil }
            converted = try mapped(deadline) { source, target, pixels in
                unsafe conversion.convert(source, to: target, pixels: pixels, hasAlpha: hasAlpha)
            }
        }
        return try converted.describedAsSRGB()
    }

    /// Returns 8-bit sRGB pixels with that interpretation, and with libvips' own profile if they had one before.
    func describedAsSRGB() throws(VipsError) -> Raster {
        let copy = try interpreted(as: VIPS_INTERPRETATION_sRGB)
        guard copy.has(VIPS_META_ICC_NAME) else { return copy }
        guard unsafe edge_vips_set_srgb_profile(copy.pointer) == 0 else { throw VipsError.take("profile_load") }
        return copy
    }
}
