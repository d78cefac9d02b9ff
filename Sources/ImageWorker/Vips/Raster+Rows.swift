import CVips

extension Raster {
    /// Gives the pixels, row by row and without gaps, for as long as `body` runs; of 8-bit pictures.
    ///
    /// Computes them first where the picture is not in memory yet.
    @safe
    func withPixels<Result>(_ body: (UnsafeRawBufferPointer) throws(VipsError) -> Result) throws(VipsError) -> Result {
        precondition(format == VIPS_FORMAT_UCHAR)
        guard let data = unsafe vips_image_get_data(pointer) else { throw VipsError.take("get_data") }
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeRawBufferPointer(start: data, count: width * height * bands))
    }

    /// A picture of 8-bit sRGB that copies its bytes: `width` × `height` pixels of three bands, or four with alpha.
    static func sRGB(_ bytes: [UInt8], width: Int, height: Int, bands: Int) throws(VipsError) -> Raster {
        precondition(bytes.count == width * height * bands && (3...4).contains(bands))
        let image = unsafe bytes.withUnsafeBytes { buffer in
            unsafe vips_image_new_from_memory_copy(
                buffer.baseAddress,
                buffer.count,
                CInt(width),
                CInt(height),
                CInt(bands),
                VIPS_FORMAT_UCHAR
            )
        }
        guard let image = unsafe image else { throw VipsError.take("new_from_memory") }
        let raster = unsafe Raster(owning: image)
        return try Raster.make("copy") { out in
            unsafe edge_vips_copy_as(raster.pointer, &out, VIPS_INTERPRETATION_sRGB)
        }
    }
}
