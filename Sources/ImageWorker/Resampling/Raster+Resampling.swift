import CVips
import ImagePlan
import LinuxSystem

extension Raster {
    /// The number of rows to read at a time.
    private static let strip = 16

    /// Scales an opaque 8-bit image down in memory; `nil` if libvips must do it.
    ///
    /// It works on stored sRGB values, like `resized`.
    /// - Parameters:
    ///   - target: the size of the result.
    ///   - extent: what the image shows; `nil` if that is as long as its pixels are.
    ///   - loadFactor: the factor by which the image is already reduced.
    /// - Throws: `VipsError` or `WorkerReply.Failure.deadline`.
    func resampled(
        to target: PixelSize,
        of extent: LoadedExtent? = nil,
        loadFactor: Int = 1,
        _ deadline: Deadline
    ) throws -> Raster? {
        if loadFactor == 1, let made = prepared[target]?.finished { return made }
        if bands == 1, observers.isEmpty, let extent, !extent.isWhole {
            // libvips cannot take the extent into account, and the resampler takes no grey pixels.
            let colours = try joined(with: self).joined(with: self).interpreted(as: VIPS_INTERPRETATION_sRGB)
            return try colours.resampled(to: target, of: extent, loadFactor: loadFactor, deadline)?
                .bands(from: 0, count: 1).interpreted(as: interpretation)
        }
        guard let picture = try ResizedPicture(of: self, to: target, extent: extent, loadFactor: loadFactor) else {
            return nil
        }
        try unsafe eachRow(deadline) { row throws(VipsError) in
            for observer in observers { try unsafe observer.receive(row) }
            try unsafe picture.receive(row)
        }
        return picture.finished
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

/// An opaque 8-bit image that is scaled down, in memory, while its rows are read.
final class ResizedPicture: RowObserver {
    /// The largest result to hold in memory, in bytes; libvips streams larger ones.
    private static let mostMade = 64 << 20

    private let resampler: Resampler
    private let made: Raster
    private var rowsLeft: Int
    private var y: CInt = 0

    /// Prepares the result; `nil` if libvips must make it.
    ///
    /// - Parameters:
    ///   - raster: the image.
    ///   - target: the size of the result.
    ///   - extent: what the image shows; `nil` if that is as long as its pixels are.
    ///   - loadFactor: the factor by which the image is already reduced.
    init?(of raster: Raster, to target: PixelSize, extent: LoadedExtent? = nil, loadFactor: Int) throws(VipsError) {
        let source = PixelSize(width: raster.width, height: raster.height)
        guard raster.format == VIPS_FORMAT_UCHAR, !raster.hasAlpha, target.pixels * raster.bands <= Self.mostMade,
            let resampler = Resampler(
                from: source,
                to: target,
                bands: raster.bands,
                extent: extent,
                loadFactor: loadFactor
            )
        else { return nil }
        self.resampler = resampler
        made = try Raster.make("write_prepare") { out in
            unsafe edge_vips_memory_sized(raster.pointer, &out, CInt(target.width), CInt(target.height))
        }
        rowsLeft = raster.height
    }

    /// The result; `nil` if rows are missing.
    var finished: Raster? { rowsLeft == 0 ? made : nil }

    func receive(_ row: UnsafePointer<UInt8>) throws(VipsError) {
        try unsafe resampler.push(row) { row throws(VipsError) in try unsafe write(row) }
        rowsLeft -= 1
        if rowsLeft == 0 { try unsafe resampler.finish { row throws(VipsError) in try unsafe write(row) } }
    }

    private func write(_ row: UnsafeRawPointer) throws(VipsError) {
        // libvips only reads the line.
        let line = unsafe UnsafeMutablePointer(mutating: row.assumingMemoryBound(to: UInt8.self))
        guard unsafe vips_image_write_line(made.pointer, y, line) == 0 else { throw VipsError.take("write_line") }
        y += 1
    }
}
