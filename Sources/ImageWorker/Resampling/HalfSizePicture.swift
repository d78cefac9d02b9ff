import CVips

/// A picture of 8-bit samples half as wide and high, in memory, of the rows that another use of it reads: the mean of four pixels
/// each; a last odd row or column goes, as JPEG decoders do.
final class HalfSizePicture: RowObserver {
    private let target: Raster
    private let halving: RowHalving
    private var rows = 0

    /// Prepares; `nil` for other than opaque 8-bit pictures, and for those that have no half.
    init?(of raster: Raster) {
        guard raster.format == VIPS_FORMAT_UCHAR, !raster.hasAlpha, raster.width > 1, raster.height > 1 else {
            return nil
        }
        let target = try? Raster.make("write_prepare") { out in
            unsafe edge_vips_memory_sized(raster.pointer, &out, CInt(raster.width / 2), CInt(raster.height / 2))
        }
        guard let target else { return nil }
        self.target = target
        // Without the last odd column.
        halving = RowHalving(width: target.width * 2, bands: raster.bands)
    }

    /// The picture, once all rows have been seen.
    var finished: Raster? { rows == target.height ? target : nil }

    func see(_ row: UnsafePointer<UInt8>) throws(VipsError) {
        guard let made = unsafe halving.push(row) else { return }
        let line = unsafe UnsafeMutablePointer(mutating: made)
        guard unsafe vips_image_write_line(target.pointer, CInt(rows), line) == 0 else {
            throw VipsError.take("write_line")
        }
        rows += 1
    }
}
