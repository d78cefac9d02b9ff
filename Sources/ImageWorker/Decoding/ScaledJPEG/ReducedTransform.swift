import CLanes

/// The inverse DCT of blocks to 1, 2 or 4 samples per side (ITU-T T.81 §A.3.3), with dequantisation and level shift.
///
/// A sample of a smaller block is the mean of those that it stands for, so that some frequencies have no effect. The arithmetic is that
/// of libjpeg's accurate integer transforms, columns first: factors have 13 fractional bits, and what the columns leave has two.
struct ReducedTransform {
    /// Two columns' worth of pairs of rows, as `Block` has them.
    private typealias Pairs = SIMD8<Int16>
    private typealias Sums = SIMD4<Int32>

    /// The samples per side.
    let side: Int
    /// The steps of the quantisation in the order of a block.
    private let steps: [Int16]

    /// For each zigzag position, its place in a block.
    ///
    /// Rows are stored in pairs, which are multiplied and added by one instruction: 0 and 4, 2 and 6, 1 and 5, 3 and 7.
    static let places: [UInt8] = (0..<64).map { position in
        place(column: JPEGOrder.zigzag[position] % 8, row: JPEGOrder.zigzag[position] / 8)
    }

    private static func place(column: Int, row: Int) -> UInt8 {
        let pair = [0, 2, 1, 3][row % 4]
        return UInt8(16 * pair + 2 * column + row / 4)
    }

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - side: the samples per side: 1, 2 or 4.
    ///   - quantisation: 64 steps in the order column + 8 · row.
    init(side: Int, quantisation: [UInt16]) {
        self.side = side
        var steps = [Int16](repeating: 0, count: 64)
        for row in 0..<8 {
            for column in 0..<8 {
                steps[Int(Self.place(column: column, row: row))] = Int16(quantisation[8 * row + column])
            }
        }
        self.steps = steps
    }

    /// Transforms a block, and stores its rows in a plane.
    ///
    /// - Parameters:
    ///   - isFlat: whether only the DC coefficient is not 0.
    ///   - offset: that of the first sample.
    ///   - stride: the distance between rows in bytes.
    @inline(__always)
    func transform(
        _ block: Span<Int16>,
        isFlat: Bool,
        into plane: inout MutableRawSpan,
        at offset: Int,
        stride: Int
    ) {
        if isFlat || side == 1 {
            fill(block[0], into: &plane, at: offset, stride: stride)
        } else if side == 2 {
            two(block, into: &plane, at: offset, stride: stride)
        } else {
            four(block, into: &plane, at: offset, stride: stride)
        }
    }

    /// Stores the mean of a block.
    @inline(__always)
    private func fill(_ dc: Int16, into plane: inout MutableRawSpan, at offset: Int, stride: Int) {
        let mean = (Int32(dc) &* Int32(steps[0]) &+ 4) &>> 3 &+ 128
        let sample = UInt8(truncatingIfNeeded: max(0, min(255, mean)))
        for row in 0..<side {
            let start = offset &+ row &* stride
            switch side {
            case 1: plane.storeBytes(of: sample, toByteOffset: start, as: UInt8.self)
            case 2: plane.storeBytes(of: SIMD2(repeating: sample), toByteOffset: start, as: SIMD2<UInt8>.self)
            default: plane.storeBytes(of: SIMD4(repeating: sample), toByteOffset: start, as: SIMD4<UInt8>.self)
            }
        }
    }

    /// The dequantised coefficients of four columns of a pair of rows.
    ///
    /// - Parameters:
    ///   - pair: 0 for rows 0 and 4, 1 for 2 and 6, 2 for 1 and 5, 3 for 3 and 7.
    ///   - half: 0 for the first four columns, 1 for the others.
    @inline(__always)
    private func pairs(_ pair: Int, _ half: Int, of block: Span<Int16>) -> Pairs {
        let offset = 32 &* pair &+ 16 &* half
        // Any bits are 16-bit numbers.
        let levels = unsafe block.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Pairs.self)
        let steps = unsafe steps.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Pairs.self)
        return levels &* steps
    }

    /// The sums of the products of each pair with two factors.
    @inline(__always)
    private static func products(_ pairs: Pairs, _ first: Int16, _ second: Int16) -> Sums {
        edge_pairwise_products(pairs, Pairs(first, second, first, second, first, second, first, second))
    }

    /// Divides by a power of two, rounded.
    @inline(__always)
    private static func scaled(_ sums: Sums, by bits: Int32) -> Sums {
        (sums &+ Sums(repeating: 1 &<< (bits &- 1))) &>> Sums(repeating: bits)
    }

    // MARK: - Two samples

    @inline(__always)
    private func two(_ block: Span<Int16>, into plane: inout MutableRawSpan, at offset: Int, stride: Int) {
        let (topLeft, bottomLeft) = Self.two(pairs(0, 0, of: block), pairs(2, 0, of: block), pairs(3, 0, of: block))
        let (topRight, bottomRight) = Self.two(pairs(0, 1, of: block), pairs(2, 1, of: block), pairs(3, 1, of: block))
        let (topMean, topRest) = Self.row(topLeft, topRight)
        let (mean, rest) = Self.row(bottomLeft, bottomRight)
        let sums = Sums(topMean &+ topRest, topMean &- topRest, mean &+ rest, mean &- rest)
        let samples = Self.scaled(sums, by: 20) &+ Sums(repeating: 128)
        let bytes = edge_saturated_bytes(samples, samples, samples, samples)
        plane.storeBytes(of: SIMD2(bytes[0], bytes[1]), toByteOffset: offset, as: SIMD2<UInt8>.self)
        plane.storeBytes(of: SIMD2(bytes[2], bytes[3]), toByteOffset: offset &+ stride, as: SIMD2<UInt8>.self)
    }

    /// The two samples of four columns, from rows 0, 1 and 5, and 3 and 7: other even rows have a mean of 0 in both halves.
    @inline(__always)
    private static func two(_ even: Pairs, _ odd: Pairs, _ higher: Pairs) -> (top: Sums, bottom: Sums) {
        let mean = products(even, 16_384, 0) &<< Sums(repeating: 1)
        let rest = products(odd, 29_692, 6967) &+ products(higher, -10_426, -5906)
        return (scaled(mean &+ rest, by: 13), scaled(mean &- rest, by: 13))
    }

    /// The mean of a row's two samples, and the distance of both from it.
    @inline(__always)
    private static func row(_ left: Sums, _ right: Sums) -> (mean: Int32, rest: Int32) {
        let odd = edge_pairwise_products(
            edge_saturated_shorts(left, right),
            Pairs(0, 29_692, 0, -10_426, 0, 6967, 0, -5906)
        )
        return (left[0] &<< 15, odd.wrappedSum())
    }

    // MARK: - Four samples

    @inline(never)
    private func four(_ block: Span<Int16>, into plane: inout MutableRawSpan, at offset: Int, stride: Int) {
        let left = Self.four(
            pairs(0, 0, of: block),
            pairs(1, 0, of: block),
            pairs(2, 0, of: block),
            pairs(3, 0, of: block),
            by: 12
        )
        let right = Self.four(
            pairs(0, 1, of: block),
            pairs(1, 1, of: block),
            pairs(2, 1, of: block),
            pairs(3, 1, of: block),
            by: 12
        )
        let (a, b) = (edge_saturated_shorts(left.a, right.a), edge_saturated_shorts(left.b, right.b))
        let (c, d) = (edge_saturated_shorts(left.c, right.c), edge_saturated_shorts(left.d, right.d))
        @inline(__always)
        func across(_ column: Int) -> Pairs {
            let other = column &+ 4
            return Pairs(a[column], a[other], b[column], b[other], c[column], c[other], d[column], d[other])
        }
        let rows = Self.four(across(0), across(2), across(1), across(3), by: 19)
        let shift = Sums(repeating: 128)
        let samples = edge_saturated_bytes(rows.a &+ shift, rows.b &+ shift, rows.c &+ shift, rows.d &+ shift)
        for row in 0..<4 {
            plane.storeBytes(
                of: SIMD4(samples[row], samples[row &+ 4], samples[row &+ 8], samples[row &+ 12]),
                toByteOffset: offset &+ row &* stride,
                as: SIMD4<UInt8>.self
            )
        }
    }

    /// Four samples of four columns, one in each vector.
    private struct Quad {
        var a, b, c, d: Sums
    }

    /// Frequency 4 has a mean of 0 in each quarter.
    @inline(__always)
    private static func four(_ even: Pairs, _ second: Pairs, _ odd: Pairs, _ higher: Pairs, by bits: Int32) -> Quad {
        let mean = products(even, 16_384, 0)
        let rest = products(second, 15_137, -6270)
        let inner = products(odd, 8697, 11_893) &+ products(higher, -17_799, -1730)
        let outer = products(odd, 20_995, -4926) &+ products(higher, 7373, -4176)
        return Quad(
            a: scaled(mean &+ rest &+ outer, by: bits),
            b: scaled(mean &- rest &+ inner, by: bits),
            c: scaled(mean &- rest &- inner, by: bits),
            d: scaled(mean &+ rest &- outer, by: bits)
        )
    }
}
