import CVips

extension Raster {
    /// The factors from X, Y and Z (D50, white's Y is 100) to sRGB's light of 0–65,535, row by row, with Bradford's adaptation to D65.
    private static let lightOfXYZ: [Double] = [
        3.1338561, -1.6168667, -0.4906146,
        -0.9787684, 1.9161415, 0.0334540,
        0.0719453, -0.2289914, 1.4052427,
    ]
    .map { $0 * 655.35 }

    /// Converts CIELAB to 8-bit sRGB; `nil` for other images.
    ///
    /// Its white is D50, as in ICC profiles; libvips takes D65. A profile says no more than that, and libvips 8.14 misreads it.
    func convertedFromCIELAB() throws(VipsError) -> Raster? {
        guard [VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABS].contains(interpretation), bands == 3 else {
            return nil
        }
        let floats = try Raster.make("colourspace") { out in
            unsafe edge_vips_colourspace(pointer, &out, VIPS_INTERPRETATION_LAB)
        }
        let xyz = try Raster.make("Lab2XYZ") { out in unsafe edge_vips_lab_to_xyz(floats.pointer, &out) }
        return try xyz.mixed(byRows: Self.lightOfXYZ).encodedLight().describedAsSRGB()
    }

    /// Returns 8-bit CIELAB as floats, and other images as they are.
    ///
    /// libvips packs it into four bytes, of which operations on bytes, and those that look for alpha, know nothing.
    func unpackedCIELAB() throws(VipsError) -> Raster {
        guard unsafe vips_image_get_coding(pointer) == VIPS_CODING_LABQ else { return self }
        let bytes = try Raster.make("copy") { out in unsafe edge_vips_copy_unpacked(pointer, &out) }
        let lightness = (0...255).map { Float($0) / 2.55 }
        let signed = (0...255).map { Float(Int8(truncatingIfNeeded: $0)) }
        return try bytes.bands(from: 0, count: 3).mapped(toFloatsByBand: [lightness, signed, signed])
            .interpreted(as: VIPS_INTERPRETATION_LAB)
    }
}
