import CVips

extension Raster {
    /// Returns an image of 8-bit bands with a copy of bytes, pixel by pixel.
    static func bytes(_ bytes: [UInt8], width: Int, height: Int, bands: Int) throws(VipsError) -> Raster {
        try copy(of: bytes, VIPS_FORMAT_UCHAR, width: width, height: height, bands: bands)
    }

    /// Returns an image of bands of floats, pixel by pixel.
    static func floats(_ values: [Float], width: Int, height: Int, bands: Int = 1) throws(VipsError) -> Raster {
        try copy(of: values, VIPS_FORMAT_FLOAT, width: width, height: height, bands: bands)
    }

    private static func copy<Value: BitwiseCopyable>(
        of values: [Value],
        _ format: VipsBandFormat,
        width: Int,
        height: Int,
        bands: Int
    ) throws(VipsError) -> Raster {
        precondition(values.count == width * height * bands)
        let image = unsafe values.withUnsafeBytes { buffer in
            unsafe vips_image_new_from_memory_copy(
                buffer.baseAddress,
                buffer.count,
                CInt(width),
                CInt(height),
                CInt(bands),
                format
            )
        }
        guard let image = unsafe image else { throw VipsError.take("new_from_memory") }
        return unsafe Raster(owning: image)
    }

    /// Returns an image of one band whose value at x, y is the sum of a column's and a row's value; computed on demand.
    static func grid(columns: [Float], rows: [Float]) throws(VipsError) -> Raster {
        let (width, height) = (columns.count, rows.count)
        let line = try floats(columns, width: width, height: 1)
        let across = try Raster.make("replicate") { out in
            unsafe edge_vips_replicate(line.pointer, &out, 1, CInt(height))
        }
        let column = try floats(rows, width: 1, height: height)
        let down = try Raster.make("replicate") { out in
            unsafe edge_vips_replicate(column.pointer, &out, CInt(width), 1)
        }
        return try across.plus(down)
    }

    /// Calls `body` with the bytes of all pixels, row by row without padding; computes them if they are not in memory.
    func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
        let memory = try inMemory()
        guard let data = unsafe vips_image_get_data(memory.pointer) else { throw VipsError.take("get_data") }
        let pixel = Int(vips_format_sizeof(memory.format)) * memory.bands
        defer { withExtendedLifetime(memory) {} }
        return try body(unsafe UnsafeRawBufferPointer(start: data, count: memory.width * memory.height * pixel).bytes)
    }

    /// Calls `body` with the pixels of an 8-bit image, row by row without padding; valid during the call.
    ///
    /// Computes the pixels if they are not in memory.
    @safe
    func withPixels<Result>(_ body: (UnsafeRawBufferPointer) throws(VipsError) -> Result) throws(VipsError) -> Result {
        precondition(format == VIPS_FORMAT_UCHAR)
        guard let data = unsafe vips_image_get_data(pointer) else { throw VipsError.take("get_data") }
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeRawBufferPointer(start: data, count: width * height * bands))
    }

    /// Returns an 8-bit image in memory with rows computed from this image's rows and with all its metadata.
    ///
    /// - Parameters:
    ///   - deadline: the deadline for computing this image's pixels; `nil` for none.
    ///   - body: reads a row and writes the new one; both have `width` pixels of equally many bands.
    @safe
    func mapped(
        _ deadline: Deadline?,
        _ body: (UnsafeRawPointer, UnsafeMutableRawPointer, _ pixels: Int) -> Void
    ) throws(VipsError) -> Raster {
        deadline?.watch(self)
        let source = try inMemory()
        let made = try Raster.make("write_prepare") { out in unsafe edge_vips_memory_like(source.pointer, &out) }
        let length = width * bands
        var row = [UInt8](repeating: 0, count: length)
        try source.withPixels { pixels throws(VipsError) in
            guard let start = pixels.baseAddress else { return }
            for y in 0..<source.height {
                let isWritten = unsafe row.withUnsafeMutableBytes { target in
                    guard let place = target.baseAddress else { return true }
                    unsafe body(start + y * length, place, width)
                    return unsafe vips_image_write_line(made.pointer, CInt(y), place) == 0
                }
                guard isWritten else { throw VipsError.take("write_line") }
            }
        }
        return made
    }

    /// Returns an 8-bit sRGB image with a copy of bytes: `width` × `height` pixels of three bands, or four with alpha.
    static func sRGB(_ bytes: [UInt8], width: Int, height: Int, bands: Int) throws(VipsError) -> Raster {
        precondition((3...4).contains(bands))
        let raster = try Raster.bytes(bytes, width: width, height: height, bands: bands)
        return try raster.interpreted(as: VIPS_INTERPRETATION_sRGB)
    }
}
