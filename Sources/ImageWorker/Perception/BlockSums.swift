/// Sums over blocks of 4 × 4 values of a plane; four neighbours form an 8 × 8 window of a comparison.
///
/// The remainder of a side that is not a multiple of four is ignored.
struct BlockSums {
    let columns: Int
    let rows: Int
    /// The sums of the values, one per block.
    private(set) var values: [Int32]
    /// The sums of their squares.
    private(set) var squares: [Int32]
    /// The sums of squared differences from the other plane; empty without one.
    private(set) var differences: [Int32] = []

    /// A block's side.
    static let side = 4

    /// Sums a plane and its differences from another of the same size.
    init(_ plane: PicturePlane, against other: PicturePlane? = nil) {
        columns = plane.width / Self.side
        rows = plane.height / Self.side
        let count = columns * rows
        values = [Int32](repeating: 0, count: count)
        squares = values
        if let other {
            precondition(other.width == plane.width && other.height == plane.height)
            differences = values
        }
        let width = columns * Self.side
        var (lines, lineSquares, lineDifferences) = (
            [Int32](repeating: 0, count: width), [Int32](repeating: 0, count: width),
            [Int32](repeating: 0, count: width)
        )
        for row in 0..<rows {
            for index in 0..<width { (lines[index], lineSquares[index], lineDifferences[index]) = (0, 0, 0) }
            for y in row * Self.side..<(row + 1) * Self.side {
                Self.add(plane, y, &lines, &lineSquares)
                if let other { Self.add(plane, other, y, &lineDifferences) }
            }
            let start = row * columns
            Self.gather(lines, into: &values, at: start, columns)
            Self.gather(lineSquares, into: &squares, at: start, columns)
            if other != nil { Self.gather(lineDifferences, into: &differences, at: start, columns) }
        }
    }

    // No sum overflows: a value has 13 bits, its square 24, and a window holds 64 of them.
    private static func add(_ plane: PicturePlane, _ y: Int, _ lines: inout [Int32], _ squares: inout [Int32]) {
        let (start, count) = (y * plane.width, lines.count)
        unsafe plane.values.withUnsafeBufferPointer { source in
            unsafe lines.withUnsafeMutableBufferPointer { lines in
                unsafe squares.withUnsafeMutableBufferPointer { squares in
                    for x in 0..<count {
                        let value = unsafe Int32(source[start &+ x])
                        unsafe lines[x] &+= value
                        unsafe squares[x] &+= value &* value
                    }
                }
            }
        }
    }

    private static func add(_ plane: PicturePlane, _ other: PicturePlane, _ y: Int, _ lines: inout [Int32]) {
        let (start, count) = (y * plane.width, lines.count)
        unsafe plane.values.withUnsafeBufferPointer { source in
            unsafe other.values.withUnsafeBufferPointer { other in
                unsafe lines.withUnsafeMutableBufferPointer { lines in
                    for x in 0..<count {
                        let difference = unsafe Int32(source[start &+ x]) &- Int32(other[start &+ x])
                        unsafe lines[x] &+= difference &* difference
                    }
                }
            }
        }
    }

    private static func gather(_ lines: [Int32], into sums: inout [Int32], at start: Int, _ columns: Int) {
        for column in 0..<columns {
            let x = column * side
            sums[start + column] = lines[x] &+ lines[x + 1] &+ lines[x + 2] &+ lines[x + 3]
        }
    }
}

extension BlockSums {
    /// Returns the root mean square, over all windows, of the loss of structure and the difference of means.
    ///
    /// To first order this is 1 − SSIM (Wang et al., 2004): the variance of the difference divided by both variances, where `masking`
    /// keeps invisible differences in flat windows from counting. The difference of means is not divided by the means, since 8-bit sRGB
    /// is about perceptually uniform.
    ///
    /// - Parameters:
    ///   - made: the sums of the other image's plane, compared with this one's.
    ///   - masking: the variance that hides smaller differences, in levels squared.
    ///   - shift: the scale of a difference of means, in levels squared.
    func loss(in made: BlockSums, masking: Float, shift: Float) -> Float {
        precondition(columns == made.columns && rows == made.rows && made.differences.count == values.count)
        guard columns > 1, rows > 1 else { return 0 }
        // Values are in sixteenths of a level; a window has 64.
        let (masking, shift, share) = (masking * 256, shift * 256, Float(1) / 64)
        var total: Float = 0
        for row in 0..<rows - 1 {
            var sum: Float = 0
            for column in 0..<columns - 1 {
                let block = row * columns + column
                let mean = Float(Self.window(values, block, columns)) * share
                let madeMean = Float(Self.window(made.values, block, columns)) * share
                let variance = Float(Self.window(squares, block, columns)) * share - mean * mean
                let madeVariance = Float(Self.window(made.squares, block, columns)) * share - madeMean * madeMean
                let off = mean - madeMean
                let lost = Float(Self.window(made.differences, block, columns)) * share - off * off
                let value = max(0, lost) / (max(0, variance) + max(0, madeVariance) + masking) + off * off / shift
                sum += value * value
            }
            total += sum
        }
        return (total / Float((rows - 1) * (columns - 1))).squareRoot()
    }

    @inline(__always)
    private static func window(_ sums: [Int32], _ block: Int, _ columns: Int) -> Int32 {
        sums[block] &+ sums[block + 1] &+ sums[block + columns] &+ sums[block + columns + 1]
    }
}
