import ImagePlan

/// The part of the decoded original that an image shows, as a map from positions in the image to positions in the original.
///
/// Positions are fractions of the sides, 0–1, so that the same map applies to a gain map of another size. The rectangle may extend
/// beyond the original where margins were added. Sides remain parallel: quarter turns and mirroring, but no other angle.
struct SourceRegion: Equatable {
    /// A position or a distance, in fractions of the original's sides.
    struct Vector: Equatable {
        var x: Double
        var y: Double

        static func + (left: Self, right: Self) -> Self { Self(x: left.x + right.x, y: left.y + right.y) }
        static func * (left: Double, right: Self) -> Self { Self(x: left * right.x, y: left * right.y) }
    }

    /// Where the image's top left corner is.
    private(set) var origin = Vector(x: 0, y: 0)
    /// From there to the top right corner.
    private(set) var across = Vector(x: 1, y: 0)
    /// From there to the bottom left corner.
    private(set) var down = Vector(x: 0, y: 1)

    /// The whole original, turned upright.
    init(_ orientation: Orientation) {
        turn(quarters: orientation.quarterTurns)
        if orientation.isMirrored { flipHorizontally() }
    }

    /// Whether the image's rows are columns of the original.
    var isTransposed: Bool { across.x == 0 }

    /// Whether the original's right or bottom is on the image's left.
    var isReversedAcross: Bool { across.x + across.y < 0 }

    /// Whether the original's right or bottom is at the image's top.
    var isReversedDown: Bool { down.x + down.y < 0 }

    /// Whether the image has margins, which show nothing of the original.
    var hasMargins: Bool {
        // Sums of fractions may be off by a rounding error.
        let slack = 1e-9
        let corner = origin + across + down
        return min(origin.x, origin.y, corner.x, corner.y) < -slack
            || max(origin.x, origin.y, corner.x, corner.y) > 1 + slack
    }

    /// Cuts a rectangle out of an image of a size, or puts a canvas around it if the rectangle is larger.
    mutating func crop(_ rectangle: PixelRectangle, of size: PixelSize) {
        let (width, height) = (Double(size.width), Double(size.height))
        origin = origin + Double(rectangle.left) / width * across + Double(rectangle.top) / height * down
        across = Double(rectangle.width) / width * across
        down = Double(rectangle.height) / height * down
    }

    /// Mirrors the image left to right.
    mutating func flipHorizontally() {
        origin = origin + across
        across = -1 * across
    }

    /// Mirrors the image top to bottom.
    mutating func flipVertically() {
        origin = origin + down
        down = -1 * down
    }

    /// Turns the image clockwise by quarter turns.
    mutating func turn(quarters: Int) {
        for _ in 0..<quarters {
            origin = origin + down
            (across, down) = (-1 * down, across)
        }
    }
}
