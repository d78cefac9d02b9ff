/// A grey picture and its reductions, each with the sums that a cascade's features need.
struct GreyPlane {
    let width: Int
    let height: Int
    /// 8-bit levels, row by row.
    let levels: [UInt8]

    /// Returns the plane at another, smaller size, interpolated linearly between the four nearest pixels.
    ///
    /// Below half the size, some pixels have no share in the result.
    func reduced(to width: Int, _ height: Int) -> GreyPlane {
        let columns = Self.places(width, in: self.width)
        let rows = Self.places(height, in: self.height)
        var levels: [UInt8] = []
        levels.reserveCapacity(width * height)
        for row in rows {
            let (upper, lower) = (row.first * self.width, row.second * self.width)
            for column in columns {
                let above = blend(upper + column.first, upper + column.second, column.share)
                let below = blend(lower + column.first, lower + column.second, column.share)
                levels.append(
                    UInt8(truncatingIfNeeded: (above &* (256 &- row.share) &+ below &* row.share &+ 1 << 15) &>> 16)
                )
            }
        }
        return GreyPlane(width: width, height: height, levels: levels)
    }

    /// 256 times the value between two pixels; `share` is the second one's part in 1/256.
    private func blend(_ first: Int, _ second: Int, _ share: Int) -> Int {
        Int(levels[first]) &* (256 &- share) &+ Int(levels[second]) &* share
    }

    /// The two pixels whose mean each of `count` pixels is, and the second one's share in 1/256.
    private static func places(_ count: Int, in length: Int) -> [(first: Int, second: Int, share: Int)] {
        (0..<count).map { index in
            // The middle of the pixel, in 1/256 of the larger one's pixels.
            let place = max(0, (2 * index + 1) * length * 128 / count - 128)
            let first = min(place >> 8, length - 1)
            return (first, min(first + 1, length - 1), place & 255)
        }
    }
}

/// The sums of all pixels above and left of each corner of a plane's pixels: integral images (Viola and Jones, §2.1).
struct IntegralPlane {
    /// Row by row, from the top left corner of the plane.
    let sums: [Int32]
    /// The same of squares, modulo 2^32: the sums of windows of up to 256 × 256 pixels are exact.
    let squares: [UInt32]

    /// - Parameter stride: more than the plane's width, so that offsets are the same in planes of all sizes.
    init(_ plane: GreyPlane, stride: Int) {
        precondition(stride > plane.width && plane.levels.count == plane.width * plane.height)
        var sums = [Int32](repeating: 0, count: stride * (plane.height + 1))
        var squares = [UInt32](repeating: 0, count: sums.count)
        for y in 0..<plane.height {
            var (sum, square): (Int32, UInt32) = (0, 0)
            for x in 0..<plane.width {
                let level = plane.levels[y &* plane.width &+ x]
                sum &+= Int32(level)
                square &+= UInt32(level) &* UInt32(level)
                let corner = (y &+ 1) &* stride &+ x &+ 1
                sums[corner] = sums[corner &- stride] &+ sum
                squares[corner] = squares[corner &- stride] &+ square
            }
        }
        (self.sums, self.squares) = (sums, squares)
    }
}
