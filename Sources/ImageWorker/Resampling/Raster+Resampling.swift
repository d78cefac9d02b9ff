import CVips
import ImagePlan
import LinuxSystem

extension Raster {
    /// The largest result to hold in memory, in bytes; libvips streams larger ones.
    private static let mostMade = 64 << 20
    /// The number of rows to read at a time.
    private static let strip = 16

    /// Scales an opaque 8-bit image down in memory; `nil` if libvips must do it.
    ///
    /// It works on stored sRGB values, like `resized`.
    /// - Parameter loadFactor: the factor by which the image is already reduced.
    /// - Throws: `VipsError` or `WorkerReply.Failure.deadline`.
    func resampled(to target: PixelSize, loadFactor: Int = 1, _ deadline: Deadline) throws -> Raster? {
        let source = PixelSize(width: width, height: height)
        guard format == VIPS_FORMAT_UCHAR, !hasAlpha, target.pixels * bands <= Self.mostMade,
            let resampler = Resampler(from: source, to: target, bands: bands, loadFactor: loadFactor)
        else { return nil }
        let made = try Raster.make("write_prepare") { out in
            unsafe edge_vips_memory_sized(pointer, &out, CInt(target.width), CInt(target.height))
        }
        var y: CInt = 0
        let write = { (row: UnsafeRawPointer) throws(VipsError) in
            guard
                unsafe vips_image_write_line(
                    made.pointer,
                    y,
                    UnsafeMutablePointer(mutating: row.assumingMemoryBound(to: UInt8.self))
                ) == 0
            else { throw VipsError.take("write_line") }
            y += 1
        }
        try unsafe eachRow(deadline) { row throws(VipsError) in
            try unsafe observer?.receive(row)
            try unsafe resampler.push(row, write)
        }
        try unsafe resampler.finish(write)
        return made
    }

    /// Reads the rows of an 8-bit image from top to bottom, holding only a few.
    ///
    /// - Throws: `VipsError`, or `WorkerReply.Failure.deadline`.
    func eachRow(
        _ deadline: Deadline?,
        _ body: (UnsafePointer<UInt8>) throws(VipsError) -> Void
    ) throws {
        guard let region = unsafe vips_region_new(pointer) else { throw VipsError.take("region") }
        defer { unsafe g_object_unref(region) }
        for top in stride(from: 0, to: height, by: Self.strip) {
            try deadline?.check()
            var area = VipsRect(
                left: 0,
                top: CInt(top),
                width: CInt(width),
                height: CInt(min(Self.strip, height - top))
            )
            guard unsafe vips_region_prepare(region, &area) == 0 else { throw VipsError.take("prepare") }
            for y in area.top..<area.top + area.height {
                try unsafe body(UnsafePointer(edge_vips_region_row(region, y)))
            }
        }
    }
}

/// An observer of the rows of an image as they are read.
protocol RowObserver: AnyObject {
    /// Receives the next row from top to bottom; valid during the call.
    func receive(_ row: UnsafePointer<UInt8>) throws(VipsError)
}
