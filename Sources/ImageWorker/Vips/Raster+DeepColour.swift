import CVips

/// Conversions of 16-bit and floating-point samples to 8-bit sRGB.
extension Raster {
    /// Converts floating-point samples, of which 0–1 is shown; `nil` for other images.
    ///
    /// With a profile they are values of its encoding. Without one they are linear light in sRGB's primaries, which libvips calls scRGB,
    /// and grey likewise. libvips 8.14 takes those of a profile, all greys and alpha for values of 0–255, which makes them black.
    func convertedFromFloats(_ deadline: Deadline?) throws(VipsError) -> Raster? {
        guard format == VIPS_FORMAT_FLOAT, (1...4).contains(bands),
            interpretation == (bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_scRGB)
        else { return nil }
        // 0.5 rounds, since the cast truncates.
        let samples = try linear([65_535], plus: [0.5]).cast(to: VIPS_FORMAT_USHORT)
            .interpreted(as: bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16)
        guard samples.has(VIPS_META_ICC_NAME) else { return try samples.converted(by: .linear) }
        return try samples.convertedToSRGB(deadline)
    }

    /// Converts 16-bit samples whose profile has only curves and a matrix; `nil` for other images.
    func convertedByDeepCurves() throws(VipsError) -> Raster? {
        guard format == VIPS_FORMAT_USHORT, (1...4).contains(bands),
            interpretation == (bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16),
            let profile = bytes(VIPS_META_ICC_NAME),
            let curves = DeepCurves(profile: profile, isGrey: bands < 3)
        else { return nil }
        return try converted(by: curves).describedAsSRGB()
    }

    /// Converts 16-bit samples to 8-bit sRGB of three bands, or four with alpha.
    private func converted(by curves: DeepCurves) throws(VipsError) -> Raster {
        let colours = hasAlpha ? try bands(from: 0, count: bands - 1) : self
        var light = try colours.mapped(toFloatsByBand: curves.tables)
        if let matrix = curves.matrix { light = try light.mixed(byRows: matrix) }
        let encoded = try light.encodedLight()
        let joined = hasAlpha ? try encoded.joined(with: eightBitAlpha()) : encoded
        guard bands < 3 else { return try joined.interpreted(as: VIPS_INTERPRETATION_sRGB) }
        let greys = try joined.interpreted(as: VIPS_INTERPRETATION_B_W)
        return try Raster.make("colourspace") { out in
            unsafe edge_vips_colourspace(greys.pointer, &out, VIPS_INTERPRETATION_sRGB)
        }
    }

    /// Returns the alpha of 16-bit samples as 8 bits.
    func eightBitAlpha() throws(VipsError) -> Raster {
        try bands(from: bands - 1, count: 1).mapped(by: [(0...65_535).map { UInt8($0 >> 8) }])
    }
}
