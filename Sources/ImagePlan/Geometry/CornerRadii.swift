/// The radii of a picture's four corners in pixels; all zero for a plain rectangle.
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

    /// All radii times a factor.
    package func scaled(by factor: Double) -> CornerRadii {
        CornerRadii(
            topLeft: topLeft * factor,
            topRight: topRight * factor,
            bottomRight: bottomRight * factor,
            bottomLeft: bottomLeft * factor
        )
    }

    /// All radii reduced by one factor, so that neighbours fit on each side of a picture (CSS Backgrounds 3 §5.5).
    package func fitted(to size: PixelSize) -> CornerRadii {
        let width = Double(size.width)
        let height = Double(size.height)
        let factor = [
            (width, topLeft + topRight), (width, bottomLeft + bottomRight),
            (height, topLeft + bottomLeft), (height, topRight + bottomRight),
        ].reduce(1.0) { $1.1 > 0 ? min($0, $1.0 / $1.1) : $0 }
        return factor < 1 ? scaled(by: factor) : self
    }

    /// The radii of the picture mirrored left to right.
    package var mirroredHorizontally: CornerRadii {
        CornerRadii(topLeft: topRight, topRight: topLeft, bottomRight: bottomLeft, bottomLeft: bottomRight)
    }

    /// The radii of the picture turned by 90 degrees clockwise.
    package var turnedClockwise: CornerRadii {
        CornerRadii(topLeft: bottomLeft, topRight: topLeft, bottomRight: topRight, bottomLeft: bottomRight)
    }
}
