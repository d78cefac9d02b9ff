import CVips

/// Who is shown the rows of a picture as they are read.
protocol RowObserver: AnyObject {
    /// The next row, from top to bottom; valid during the call.
    func see(_ row: UnsafePointer<UInt8>) throws(VipsError)
}

/// A picture of 8-bit samples half as wide and high, in memory, of the rows that another use of it reads: the mean of four pixels
/// each; a last odd row or column goes, as JPEG decoders do.
final class HalfSizePicture: RowObserver {
    private let source: (width: Int, bands: Int)
    private let target: Raster
    private let upper: Samples<UInt8>
    private let made: Samples<UInt8>
    private var isUpperThere = false
    private var rows = 0

    /// Prepares; `nil` for other than opaque 8-bit pictures, and for those that have no half.
    init?(of raster: Raster) {
        guard raster.format == VIPS_FORMAT_UCHAR, !raster.hasAlpha, raster.width > 1, raster.height > 1,
            let target = try? Raster.make(
                "write_prepare",
                { out in
                    unsafe edge_vips_memory_sized(raster.pointer, &out, CInt(raster.width / 2), CInt(raster.height / 2))
                }
            )
        else { return nil }
        self.target = target
        source = (raster.width, raster.bands)
        upper = Samples(count: raster.width * raster.bands)
        made = Samples(count: target.width * raster.bands)
    }

    /// The picture, once all rows have been seen.
    var finished: Raster? { rows == target.height ? target : nil }

    func see(_ row: UnsafePointer<UInt8>) throws(VipsError) {
        guard rows < target.height else { return }
        guard isUpperThere else {
            unsafe upper.start.update(from: row, count: upper.count)
            isUpperThere = true
            return
        }
        isUpperThere = false
        unsafe RowHalving.halve(
            UnsafePointer(upper.start),
            row,
            width: target.width * 2,
            bands: source.bands,
            to: made.start
        )
        guard unsafe vips_image_write_line(target.pointer, CInt(rows), made.start) == 0 else {
            throw VipsError.take("write_line")
        }
        rows += 1
    }
}
