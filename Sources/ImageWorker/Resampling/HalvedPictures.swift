import CVips

/// Reductions of an 8-bit image by powers of two, made in memory from the rows that another use of the image reads.
///
/// Each pixel is the mean of a block, rounded to 8 bits once per size. A last odd row or column is dropped, as by JPEG decoders.
final class HalvedPictures: RowObserver {
    private let first: RowHalving<UInt8>
    private let rest: [RowHalving<UInt16>]
    private var pictures: [Int: Picture] = [:]
    private let line: Samples<UInt8>

    /// A reduction in progress.
    private struct Picture {
        let target: Raster
        var rows = 0
    }

    /// Prepares the reductions; `nil` for anything but an opaque 8-bit image, and for one too small to be halved.
    ///
    /// - Parameter factors: the reduction factors, powers of two; factors larger than a side are ignored.
    init?(of raster: Raster, factors: Set<Int>) {
        let (width, height, bands) = (raster.width, raster.height, raster.bands)
        let possible = factors.filter { $0 > 1 && min(width, height) >= $0 }
        guard raster.format == VIPS_FORMAT_UCHAR, !raster.hasAlpha, let largest = possible.max() else { return nil }
        for factor in possible {
            let target = try? Raster.make("write_prepare") { out in
                unsafe edge_vips_memory_sized(raster.pointer, &out, CInt(width / factor), CInt(height / factor))
            }
            guard let target else { return nil }
            pictures[factor] = Picture(target: target)
        }
        // Drops a last odd column.
        first = RowHalving(width: width / 2 * 2, bands: bands)
        rest = sequence(first: 4) { $0 * 2 }.prefix { $0 <= largest }
            .map { RowHalving(width: width / $0 * 2, bands: bands) }
        line = Samples(count: width / 2 * bands)
    }

    /// Returns a finished reduction; `nil` if rows are missing or the factor was not requested.
    func finished(_ factor: Int) -> Raster? {
        guard let picture = pictures[factor], picture.rows == picture.target.height else { return nil }
        return picture.target
    }

    func receive(_ row: UnsafePointer<UInt8>) throws(VipsError) {
        guard var made = unsafe first.push(row) else { return }
        try unsafe write(made, to: 2)
        for (level, halving) in rest.enumerated() {
            guard let halved = unsafe halving.push(made) else { return }
            unsafe made = halved
            try unsafe write(made, to: 4 << level)
        }
    }

    private func write(_ row: UnsafePointer<UInt16>, to factor: Int) throws(VipsError) {
        guard let picture = pictures[factor], picture.rows < picture.target.height else { return }
        unsafe FixedPoint.round(row, to: line.start, count: picture.target.width * picture.target.bands)
        guard unsafe vips_image_write_line(picture.target.pointer, CInt(picture.rows), line.start) == 0 else {
            throw VipsError.take("write_line")
        }
        pictures[factor]?.rows += 1
    }
}
