/// Makes rows half as long and half as many: the mean of four pixels each.
///
/// A last odd column or row stands for itself twice.
final class RowHalving {
    private let width: Int
    private let bands: Int
    private let upper: Samples<UInt8>
    private let made: Samples<UInt8>
    private var isUpperThere = false

    /// - Parameter width: pixels of a row that comes.
    init(width: Int, bands: Int) {
        self.width = width
        self.bands = bands
        upper = Samples(count: width * bands)
        made = Samples(count: (width + 1) / 2 * bands)
    }

    /// Takes a row; gives the one that it completes, valid until the next call.
    func push(_ row: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
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
    func finish() -> UnsafePointer<UInt8>? {
        guard isUpperThere else { return nil }
        return unsafe push(UnsafePointer(upper.start))
    }

    /// One row of means of two rows of `width` pixels.
    private static func halve(
        _ upper: UnsafePointer<UInt8>,
        _ lower: UnsafePointer<UInt8>,
        width: Int,
        bands: Int,
        to row: UnsafeMutablePointer<UInt8>
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
            unsafe row[width / 2 * bands + band] = UInt8(truncatingIfNeeded: (sum &+ 1) / 2)
        }
    }

    /// Means of whole blocks; with a number of bands that is known where it is used.
    @inline(__always)
    private static func halve(
        _ upper: UnsafePointer<UInt8>,
        _ lower: UnsafePointer<UInt8>,
        pairs: Int,
        _ bands: Int,
        to row: UnsafeMutablePointer<UInt8>
    ) {
        for pair in 0..<pairs {
            for band in 0..<bands {
                let left = 2 &* pair &* bands &+ band
                let right = left &+ bands
                let sum =
                    unsafe UInt16(upper[left]) &+ UInt16(upper[right]) &+ UInt16(lower[left]) &+ UInt16(lower[right])
                unsafe row[pair &* bands &+ band] = UInt8(truncatingIfNeeded: (sum &+ 2) / 4)
            }
        }
    }
}
