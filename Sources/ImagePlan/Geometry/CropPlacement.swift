/// Where a rectangle is cut out of a picture.
package enum CropPlacement: Hashable, Sendable {
    /// At a known place.
    case rectangle(PixelRectangle)
    /// Of a known size, at the place that `gravity` (`attention` or `entropy`) finds in the pixels.
    case searched(PixelSize, gravity: Gravity)

    package var size: PixelSize {
        switch self {
        case .rectangle(let rectangle): rectangle.size
        case .searched(let size, _): size
        }
    }

    /// Places a rectangle of some size, which must fit, in a picture.
    package init(of size: PixelSize, in picture: PixelSize, gravity: Gravity) {
        guard case .point(let x, let y) = gravity else {
            self = .searched(size, gravity: gravity)
            return
        }
        self = .rectangle(
            PixelRectangle(
                left: Self.offset(of: size.width, in: picture.width, around: x),
                top: Self.offset(of: size.height, in: picture.height, around: y),
                width: size.width,
                height: size.height
            )
        )
    }

    /// The start of a stretch of `length` whose middle is as near as it can be to the fraction; a half rounds down.
    private static func offset(of length: Int, in whole: Int, around fraction: FixedDecimal) -> Int {
        // In two-millionths: fraction × whole − length ÷ 2.
        let start = 2 * fraction.millionths * whole - length * 1_000_000
        let rounded = (start + 999_999).flooredQuotient(2_000_000)
        return max(0, min(whole - length, rounded))
    }
}
