/// Halves an image in both directions, row by row, by means of four pixels.
///
/// Input samples are bytes or the output of another halving; output samples are 8.6 fixed point, so that repeated halving does not
/// lighten the image by rounding. A last odd column or row is repeated.
final class RowHalving<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
    private let width: Int
    private let bands: Int
    private let upper: Samples<Sample>
    private let made: Samples<UInt16>
    private var isUpperThere = false

    /// Creates a halving.
    ///
    /// - Parameter width: the pixels of an input row.
    init(width: Int, bands: Int) {
        self.width = width
        self.bands = bands
        upper = Samples(count: width * bands)
        made = Samples(count: (width + 1) / 2 * bands)
    }

    /// Accepts a row and returns the output row that it completes, which is valid until the next call.
    func push(_ row: UnsafePointer<Sample>) -> UnsafePointer<UInt16>? {
        guard isUpperThere else {
            unsafe upper.start.update(from: row, count: upper.count)
            isUpperThere = true
            return nil
        }
        isUpperThere = false
        unsafe Self.halve(UnsafePointer(upper.start), row, width: width, bands: bands, to: made.start)
        return unsafe UnsafePointer(made.start)
    }

    /// Returns the output row of a last unpaired row.
    func finish() -> UnsafePointer<UInt16>? {
        guard isUpperThere else { return nil }
        return unsafe push(UnsafePointer(upper.start))
    }

    /// Computes one row of means from two rows of `width` pixels.
    private static func halve(
        _ upper: UnsafePointer<Sample>,
        _ lower: UnsafePointer<Sample>,
        width: Int,
        bands: Int,
        to row: UnsafeMutablePointer<UInt16>
    ) {
        switch bands {
        case 3: unsafe halve(upper, lower, pairs: width / 2, 3, to: row)
        case 4: unsafe halve(upper, lower, pairs: width / 2, 4, to: row)
        default: unsafe halve(upper, lower, pairs: width / 2, bands, to: row)
        }
        guard !width.isMultiple(of: 2) else { return }
        let last = (width - 1) * bands
        for band in 0..<bands {
            let sum = unsafe UInt16(upper[last &+ band]) &+ UInt16(lower[last &+ band])
            unsafe row[width / 2 * bands + band] = mean(ofFour: sum &* 2)
        }
    }

    /// Computes the means of whole blocks; inlined for each number of bands.
    @inline(__always)
    private static func halve(
        _ upper: UnsafePointer<Sample>,
        _ lower: UnsafePointer<Sample>,
        pairs: Int,
        _ bands: Int,
        to row: UnsafeMutablePointer<UInt16>
    ) {
        for pair in 0..<pairs {
            for band in 0..<bands {
                let left = 2 &* pair &* bands &+ band
                let right = left &+ bands
                let sum =
                    unsafe UInt16(upper[left]) &+ UInt16(upper[right]) &+ UInt16(lower[left]) &+ UInt16(lower[right])
                unsafe row[pair &* bands &+ band] = mean(ofFour: sum)
            }
        }
    }

    /// Returns a quarter of a sum; the sum of four 8.6 fixed-point samples is at most 65,280.
    @inline(__always)
    private static func mean(ofFour sum: UInt16) -> UInt16 {
        // Exact for bytes; rounded at the last fractional bit for halved samples.
        Sample.bitWidth == 8 ? sum &<< (FixedPoint.fraction - 2) : (sum &+ 2) &>> 2
    }
}
