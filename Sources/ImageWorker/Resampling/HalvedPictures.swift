import CVips
import ImagePlan

/// Reductions of an 8-bit image by powers of two, made in memory from the rows that another use of the image reads.
///
/// Each pixel is the mean of a block, rounded to 8 bits once per size. A last odd row or column is repeated.
final class HalvedPictures: RowObserver {
    private let first: RowHalving<UInt8>
    private let rest: [RowHalving<UInt16>]
    private var pictures: [Int: Picture] = [:]
    private let line: Samples<UInt8>
    private var rowsLeft: Int

    /// A reduction in progress.
    private struct Picture {
        let target: Raster
        var rows = 0
    }

    /// Prepares the reductions; `nil` for anything but an opaque 8-bit image, and without a factor above 1.
    ///
    /// - Parameter factors: the reduction factors, powers of two.
    init?(of raster: Raster, factors: Set<Int>) {
        let size = PixelSize(width: raster.width, height: raster.height)
        let factors = factors.filter { $0 > 1 }
        guard raster.format == VIPS_FORMAT_UCHAR, !raster.hasAlpha, let largest = factors.max() else { return nil }
        for factor in factors {
            let target = try? Raster.make("write_prepare") { out in
                let reduced = size.reduced(by: factor)
                return unsafe edge_vips_memory_sized(raster.pointer, &out, CInt(reduced.width), CInt(reduced.height))
            }
            guard let target else { return nil }
            pictures[factor] = Picture(target: target)
        }
        let bands = raster.bands
        first = RowHalving(width: size.width, bands: bands)
        rest = sequence(first: 2) { $0 * 2 }.prefix { $0 < largest }
            .map { RowHalving(width: size.reduced(by: $0).width, bands: bands) }
        line = Samples(count: size.reduced(by: 2).width * bands)
        rowsLeft = size.height
    }

    /// Returns a finished reduction; `nil` if rows are missing or the factor was not requested.
    func finished(_ factor: Int) -> Raster? {
        guard let picture = pictures[factor], picture.rows == picture.target.height else { return nil }
        return picture.target
    }

    func receive(_ row: UnsafePointer<UInt8>) throws(VipsError) {
        if let made = unsafe first.push(row) { try unsafe pass(made, from: 0) }
        rowsLeft -= 1
        guard rowsLeft == 0 else { return }
        if let made = unsafe first.finish() { try unsafe pass(made, from: 0) }
        for (level, halving) in rest.enumerated() {
            if let made = unsafe halving.finish() { try unsafe pass(made, from: level + 1) }
        }
    }

    /// Writes a row that has been halved once more often than `level` says, and halves it further.
    private func pass(_ row: UnsafePointer<UInt16>, from level: Int) throws(VipsError) {
        var (row, factor) = unsafe (row, 2 << level)
        try unsafe write(row, to: factor)
        for halving in rest[level...] {
            guard let halved = unsafe halving.push(row) else { return }
            unsafe row = halved
            factor *= 2
            try unsafe write(row, to: factor)
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
