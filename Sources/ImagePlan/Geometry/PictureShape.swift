/// The geometry of an image between two steps: its size, and the rounded corners of the last `round`.
///
/// Corners follow the image: a resize scales them, flips and quarter turns move them. A crop, pad or free rotation that changes
/// the outline resets them.
package struct PictureShape: Hashable, Sendable {
    package var size: PixelSize
    package var corners: CornerRadii

    /// Creates a shape, by default with square corners.
    package init(size: PixelSize, corners: CornerRadii = .square) {
        self.size = size
        self.corners = corners
    }
}

/// A width and a height in whole pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    /// Creates a size.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width times height, at most `Int.max`.
    package var pixels: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    package var shorterSide: Int { min(width, height) }

    /// Whether neither side is longer than that of the other size.
    package func isContained(in other: PixelSize) -> Bool { width <= other.width && height <= other.height }

    /// The size with width and height swapped.
    package var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The size of an image of which each pixel stands for a square of pixels; the last ones may stand for fewer.
    package func reduced(by factor: Int) -> PixelSize {
        PixelSize(width: (width - 1) / factor + 1, height: (height - 1) / factor + 1)
    }

    /// The size after EXIF orientation: 5 to 8 swap the sides (Exif 3.0 §4.6.5.1.6).
    package func oriented(_ orientation: Int) -> PixelSize {
        (5...8).contains(orientation) ? transposed : self
    }

    /// `400x300`.
    package var description: String { "\(width)x\(height)" }
}

/// A rectangle of whole pixels; the origin is the image's top left corner.
package struct PixelRectangle: Hashable, Sendable {
    package var left: Int
    package var top: Int
    package var width: Int
    package var height: Int

    /// Creates a rectangle.
    package init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    package var right: Int { left + width }
    package var bottom: Int { top + height }
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// The part inside an image of a given size; `nil` if there is none.
    package func intersected(with picture: PixelSize) -> PixelRectangle? {
        let left = max(0, left)
        let top = max(0, top)
        let width = min(right, picture.width) - left
        let height = min(bottom, picture.height) - top
        guard width > 0, height > 0 else { return nil }
        return PixelRectangle(left: left, top: top, width: width, height: height)
    }
}

/// The radii of an image's corners in pixels; all zero for a plain rectangle.
package struct CornerRadii: Hashable, Sendable {
    package var topLeft: Double
    package var topRight: Double
    package var bottomRight: Double
    package var bottomLeft: Double

    /// Creates radii.
    package init(topLeft: Double, topRight: Double, bottomRight: Double, bottomLeft: Double) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomRight = bottomRight
        self.bottomLeft = bottomLeft
    }

    package static let square = CornerRadii(topLeft: 0, topRight: 0, bottomRight: 0, bottomLeft: 0)

    package var isSquare: Bool { self == .square }

    /// All radii multiplied by a factor.
    package func scaled(by factor: Double) -> CornerRadii {
        CornerRadii(
            topLeft: topLeft * factor,
            topRight: topRight * factor,
            bottomRight: bottomRight * factor,
            bottomLeft: bottomLeft * factor
        )
    }

    /// All radii reduced by one factor so that neighbours fit on every side (CSS Backgrounds 3 §5.5).
    package func fitted(to size: PixelSize) -> CornerRadii {
        let width = Double(size.width)
        let height = Double(size.height)
        let factor = [
            (width, topLeft + topRight), (width, bottomLeft + bottomRight),
            (height, topLeft + bottomLeft), (height, topRight + bottomRight),
        ].reduce(1.0) { $1.1 > 0 ? min($0, $1.0 / $1.1) : $0 }
        return factor < 1 ? scaled(by: factor) : self
    }

    /// The radii after mirroring the image left to right.
    package var mirroredHorizontally: CornerRadii {
        CornerRadii(topLeft: topRight, topRight: topLeft, bottomRight: bottomLeft, bottomLeft: bottomRight)
    }

    /// The radii after rotating the image 90 degrees clockwise.
    package var turnedClockwise: CornerRadii {
        CornerRadii(topLeft: bottomLeft, topRight: topLeft, bottomRight: topRight, bottomLeft: bottomRight)
    }
}
