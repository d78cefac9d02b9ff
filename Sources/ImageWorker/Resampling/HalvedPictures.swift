import CVips

/// A picture of 8-bit samples made smaller by powers of two, in memory, of the rows that another use of it reads: each pixel is the mean
/// of those that it stands for; a last odd row or column goes, as JPEG decoders do.
///
/// Rounded to bytes once for each size.
final class HalvedPictures: RowObserver {
    private let first: RowHalving<UInt8>
    private let rest: [RowHalving<UInt16>]
    private var pictures: [Int: Picture] = [:]
    private let line: Samples<UInt8>

    /// A picture that is being made.
    private struct Picture {
        let target: Raster
        var rows = 0
    }

    /// Prepares; `nil` for other than opaque 8-bit pictures, and for those that have no half.
    ///
    /// - Parameter factors: by how many times the pictures are smaller, powers of two; those that would leave nothing are left out.
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
        // Without a last odd column.
        first = RowHalving(width: width / 2 * 2, bands: bands)
        rest = sequence(first: 4) { $0 * 2 }.prefix { $0 <= largest }
            .map { RowHalving(width: width / $0 * 2, bands: bands) }
        line = Samples(count: width / 2 * bands)
    }

    /// A picture, once all of its rows have been seen; `nil` for a factor that was not asked for.
    func finished(_ factor: Int) -> Raster? {
        guard let picture = pictures[factor], picture.rows == picture.target.height else { return nil }
        return picture.target
    }

    func see(_ row: UnsafePointer<UInt8>) throws(VipsError) {
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
