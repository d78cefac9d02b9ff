/// Makes rows half as long and half as many: the mean of four pixels each.
///
/// Samples come as bytes or as another halving gives them, and go as 8.6 fixed point: six bits stay behind the point, so that one halving
/// after the other does not round a picture lighter. A last odd column or row stands for itself twice.
final class RowHalving<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
    private let width: Int
    private let bands: Int
    private let upper: Samples<Sample>
    private let made: Samples<UInt16>
    private var isUpperThere = false

    /// - Parameter width: pixels of a row that comes.
    init(width: Int, bands: Int) {
        self.width = width
        self.bands = bands
        upper = Samples(count: width * bands)
        made = Samples(count: (width + 1) / 2 * bands)
    }

    /// Takes a row; gives the one that it completes, valid until the next call.
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

    /// The row of a last one that had no other.
    func finish() -> UnsafePointer<UInt16>? {
        guard isUpperThere else { return nil }
        return unsafe push(UnsafePointer(upper.start))
    }

    /// One row of means of two rows of `width` pixels.
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

    /// Means of whole blocks; with a number of bands that is known where it is used.
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

    /// A quarter of a sum; four samples of 8.6 fixed point are 65,280 at most.
    @inline(__always)
    private static func mean(ofFour sum: UInt16) -> UInt16 {
        // Of bytes it is exact; of what has been halved before it is rounded at the last of the six bits.
        Sample.bitWidth == 8 ? sum &<< (FixedPoint.fraction - 2) : (sum &+ 2) &>> 2
    }
}
