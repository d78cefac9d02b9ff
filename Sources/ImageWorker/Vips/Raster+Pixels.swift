import CVips
import ImagePlan

extension Raster {
    /// Blurs with a Gaussian; images with alpha must be premultiplied floats.
    func blurred(sigma: Double) throws(VipsError) -> Raster {
        let blurred = try Raster.make("gaussblur") { out in unsafe edge_vips_blur(pointer, &out, sigma) }
        return format == VIPS_FORMAT_UCHAR ? try blurred.roundedToEightBits() : blurred
    }

    /// Sharpens lightness with an unsharp mask in CIELAB.
    func sharpened(sigma: Double) throws(VipsError) -> Raster {
        try Raster.make("sharpen") { out in unsafe edge_vips_sharpen(pointer, &out, sigma) }
    }

    /// Multiplies colours by alpha, as floats.
    func premultiplied() throws(VipsError) -> Raster {
        try Raster.make("premultiply") { out in unsafe edge_vips_premultiply(pointer, &out) }
    }

    /// Divides colours by alpha, as floats.
    func unpremultiplied() throws(VipsError) -> Raster {
        try Raster.make("unpremultiply") { out in unsafe edge_vips_unpremultiply(pointer, &out) }
    }

    /// Converts to another band format, clipped to its range.
    func cast(to format: VipsBandFormat) throws(VipsError) -> Raster {
        guard format != self.format else { return self }
        return try Raster.make("cast") { out in unsafe edge_vips_cast(pointer, &out, format) }
    }

    /// Composites over one colour, given as values of the bands without alpha, and drops alpha.
    func flattened(over background: [Double]) throws(VipsError) -> Raster {
        guard hasAlpha else { return self }
        return try Raster.make("flatten") { out in
            unsafe edge_vips_flatten(pointer, &out, background, CInt(background.count))
        }
    }

    /// Adds an opaque alpha band if there is none.
    func withAlpha() throws(VipsError) -> Raster {
        guard !hasAlpha else { return self }
        return try Raster.make("bandjoin") { out in unsafe edge_vips_bandjoin_constant(pointer, &out, 255) }
    }

    /// Extracts consecutive bands.
    func bands(from first: Int, count: Int) throws(VipsError) -> Raster {
        try Raster.make("extract_band") { out in
            unsafe edge_vips_extract_band(pointer, &out, CInt(first), CInt(count))
        }
    }

    /// Joins this image's bands and another's.
    func joined(with other: Raster) throws(VipsError) -> Raster {
        try Raster.make("bandjoin") { out in unsafe edge_vips_bandjoin2(pointer, other.pointer, &out) }
    }

    /// Multiplies alpha by a mask of one band, 0–255.
    func masked(by mask: Raster) throws(VipsError) -> Raster {
        guard hasAlpha else { return try joined(with: mask) }
        let colours = try bands(from: 0, count: bands - 1)
        let alpha = try bands(from: bands - 1, count: 1)
        let product = try Raster.make("multiply") { out in
            unsafe edge_vips_multiply(alpha.pointer, mask.pointer, &out)
        }
        let scaled = try Raster.make("linear") { out in
            // 0.5 rounds, since the cast to 8 bits truncates.
            unsafe edge_vips_linear(product.pointer, &out, 1.0 / 255, 0.5)
        }
        return try colours.joined(with: scaled)
    }

    /// Composites another image over this one (Porter-Duff "over"), rounded to 8 bits.
    func composited(with overlay: Raster) throws(VipsError) -> Raster {
        // As floats, since libvips truncates the results of 8-bit images.
        let (base, over) = (try cast(to: VIPS_FORMAT_FLOAT), try overlay.cast(to: VIPS_FORMAT_FLOAT))
        let result = try Raster.make("composite2") { out in
            unsafe edge_vips_over(base.pointer, over.pointer, &out)
        }
        return try result.roundedToEightBits()
    }

    /// Returns an image of this size in one colour.
    func constant(_ values: [Double]) throws(VipsError) -> Raster {
        try Raster.make("constant") { out in
            unsafe edge_vips_constant_like(pointer, &out, values, CInt(values.count))
        }
    }

    /// Returns an image of one 8-bit band with a copy of `width` × `height` bytes.
    static func greyscale(_ bytes: [UInt8], width: Int, height: Int) throws(VipsError) -> Raster {
        try Raster.bytes(bytes, width: width, height: height, bands: 1)
    }
}

extension Raster {
    /// Returns a colour as values for this image's bands: three, or four with alpha.
    func ink(_ color: Color) -> [Double] {
        let colours = [Double(color.red), Double(color.green), Double(color.blue)]
        return hasAlpha ? colours + [Double(color.alpha)] : colours
    }
}
