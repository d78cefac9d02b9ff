import CVips
import ImagePlan

extension Raster {
    /// Blurs with a Gaussian; transparent pictures must come premultiplied, as floats.
    func blurred(sigma: Double) throws(VipsError) -> Raster {
        let blurred = try Raster.make("gaussblur") { out in unsafe edge_vips_blur(pointer, &out, sigma) }
        return format == VIPS_FORMAT_UCHAR ? try blurred.roundedToEightBits() : blurred
    }

    /// Sharpens the lightness (an unsharp mask in CIELAB).
    func sharpened(sigma: Double) throws(VipsError) -> Raster {
        try Raster.make("sharpen") { out in unsafe edge_vips_sharpen(pointer, &out, sigma) }
    }

    /// Colours times alpha, as floats.
    func premultiplied() throws(VipsError) -> Raster {
        try Raster.make("premultiply") { out in unsafe edge_vips_premultiply(pointer, &out) }
    }

    /// Colours divided by alpha, as floats.
    func unpremultiplied() throws(VipsError) -> Raster {
        try Raster.make("unpremultiply") { out in unsafe edge_vips_unpremultiply(pointer, &out) }
    }

    /// The same numbers in another band format, clipped to its range.
    func cast(to format: VipsBandFormat) throws(VipsError) -> Raster {
        guard format != self.format else { return self }
        return try Raster.make("cast") { out in unsafe edge_vips_cast(pointer, &out, format) }
    }

    /// Puts the picture over one colour, given in the picture's bands without alpha; drops alpha.
    func flattened(over background: [Double]) throws(VipsError) -> Raster {
        guard hasAlpha else { return self }
        return try Raster.make("flatten") { out in
            unsafe edge_vips_flatten(pointer, &out, background, CInt(background.count))
        }
    }

    /// The picture with an alpha band, opaque where there was none.
    func withAlpha() throws(VipsError) -> Raster {
        guard !hasAlpha else { return self }
        return try Raster.make("bandjoin") { out in unsafe edge_vips_bandjoin_constant(pointer, &out, 255) }
    }

    /// Some of the bands.
    func bands(from first: Int, count: Int) throws(VipsError) -> Raster {
        try Raster.make("extract_band") { out in
            unsafe edge_vips_extract_band(pointer, &out, CInt(first), CInt(count))
        }
    }

    /// This picture's bands, then another's.
    func joined(with other: Raster) throws(VipsError) -> Raster {
        try Raster.make("bandjoin") { out in unsafe edge_vips_bandjoin2(pointer, other.pointer, &out) }
    }

    /// Alpha times a mask of one band, 0–255.
    func masked(by mask: Raster) throws(VipsError) -> Raster {
        guard hasAlpha else { return try joined(with: mask) }
        let colours = try bands(from: 0, count: bands - 1)
        let alpha = try bands(from: bands - 1, count: 1)
        let product = try Raster.make("multiply") { out in
            unsafe edge_vips_multiply(alpha.pointer, mask.pointer, &out)
        }
        let scaled = try Raster.make("linear") { out in
            // 0.5: the cast to 8 bit cuts, and this rounds.
            unsafe edge_vips_linear(product.pointer, &out, 1.0 / 255, 0.5)
        }
        return try colours.joined(with: scaled)
    }

    /// This picture with another over it (Porter-Duff "over"), rounded to 8 bits again.
    func composited(with overlay: Raster) throws(VipsError) -> Raster {
        // As floats: of 8-bit pictures libvips cuts off what lies behind the point.
        let (base, over) = (try cast(to: VIPS_FORMAT_FLOAT), try overlay.cast(to: VIPS_FORMAT_FLOAT))
        let result = try Raster.make("composite2") { out in
            unsafe edge_vips_over(base.pointer, over.pointer, &out)
        }
        return try result.roundedToEightBits()
    }

    /// A picture of this size in one colour.
    func constant(_ values: [Double]) throws(VipsError) -> Raster {
        try Raster.make("constant") { out in
            unsafe edge_vips_constant_like(pointer, &out, values, CInt(values.count))
        }
    }

    /// A picture of one 8-bit band that copies its bytes from an array of `width` × `height` bytes.
    static func greyscale(_ bytes: [UInt8], width: Int, height: Int) throws(VipsError) -> Raster {
        try Raster.bytes(bytes, width: width, height: height, bands: 1)
    }
}

extension Raster {
    /// A colour in this picture's bands: three, or four with alpha.
    func ink(_ color: Color) -> [Double] {
        let colours = [Double(color.red), Double(color.green), Double(color.blue)]
        return hasAlpha ? colours + [Double(color.alpha)] : colours
    }
}
