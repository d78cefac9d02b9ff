/// The sizes of one resize: the picture is scaled, and then framed.
package struct ResizeGeometry: Hashable, Sendable {
    /// What happens to the scaled picture.
    package enum Framing: Hashable, Sendable {
        case none
        /// `cover`: cut to the box.
        case crop(CropPlacement)
        /// `pad`: put on a canvas of the given size, its top left corner at `left`, `top`.
        case canvas(PixelSize, left: Int, top: Int)
    }

    /// The size that the whole picture is scaled to.
    package let scaled: PixelSize
    package let framing: Framing

    /// The size in the end.
    package var output: PixelSize {
        switch framing {
        case .none: scaled
        case .crop(let placement): placement.size
        case .canvas(let size, _, _): size
        }
    }
}

extension ResizeStep {
    /// What the resize does to a picture of some size, whose sides are at least 1.
    package func geometry(for source: PixelSize) -> ResizeGeometry {
        guard let width, let height else {
            return ResizeGeometry(scaled: scaledToOneSide(source), framing: .none)
        }
        let box = PixelSize(width: width, height: height)
        switch fit {
        case .contain:
            return ResizeGeometry(scaled: contained(source, in: box), framing: .none)
        case .cover:
            return covering(source, box: box)
        case .fill:
            let clamped = PixelSize(width: min(width, source.width), height: min(height, source.height))
            return ResizeGeometry(scaled: enlarge ? box : clamped, framing: .none)
        case .pad:
            let scaled = contained(source, in: box)
            let (x, y) = gravity.pointOrCenter
            let framing = ResizeGeometry.Framing.canvas(
                box,
                left: Self.share(x, of: box.width - scaled.width),
                top: Self.share(y, of: box.height - scaled.height)
            )
            return ResizeGeometry(scaled: scaled, framing: scaled == box ? .none : framing)
        }
    }

    /// One side given: the other follows the picture's shape.
    private func scaledToOneSide(_ source: PixelSize) -> PixelSize {
        if let width {
            guard enlarge || width < source.width else { return source }
            return PixelSize(width: width, height: .side(source.height * width, dividedBy: source.width))
        }
        guard let height, enlarge || height < source.height else { return source }
        return PixelSize(width: .side(source.width * height, dividedBy: source.height), height: height)
    }

    /// The largest size of the source's shape in a box, not larger than the source unless the picture may grow.
    private func contained(_ source: PixelSize, in box: PixelSize) -> PixelSize {
        if !enlarge && source.width <= box.width && source.height <= box.height { return source }
        // box.width ÷ source.width ≤ box.height ÷ source.height: the width is what limits.
        if box.width * source.height <= box.height * source.width {
            return PixelSize(width: box.width, height: .side(source.height * box.width, dividedBy: source.width))
        }
        return PixelSize(width: .side(source.width * box.height, dividedBy: source.height), height: box.height)
    }

    /// The smallest size of the source's shape around the box, and the cut; a box that the source cannot fill shrinks first.
    private func covering(_ source: PixelSize, box: PixelSize) -> ResizeGeometry {
        if !enlarge && (box.width > source.width || box.height > source.height) {
            // The largest box of the same shape in the source: nothing is scaled.
            let shrunk =
                if source.width * box.height <= source.height * box.width {
                    PixelSize(width: source.width, height: .side(box.height * source.width, dividedBy: box.width))
                } else {
                    PixelSize(width: .side(box.width * source.height, dividedBy: box.height), height: source.height)
                }
            return Self.cut(source, to: shrunk, gravity: gravity)
        }
        let scaled =
            if box.width * source.height >= box.height * source.width {
                PixelSize(width: box.width, height: .side(source.height * box.width, dividedBy: source.width))
            } else {
                PixelSize(width: .side(source.width * box.height, dividedBy: source.height), height: box.height)
            }
        return Self.cut(scaled, to: box, gravity: gravity)
    }

    private static func cut(_ scaled: PixelSize, to box: PixelSize, gravity: Gravity) -> ResizeGeometry {
        guard scaled != box else { return ResizeGeometry(scaled: scaled, framing: .none) }
        return ResizeGeometry(
            scaled: scaled,
            framing: .crop(CropPlacement(of: box, in: scaled, gravity: gravity))
        )
    }

    /// A fraction of the room that is left, a half rounded down, as crops round.
    private static func share(_ fraction: FixedDecimal, of room: Int) -> Int {
        (fraction.millionths * room + 499_999).flooredQuotient(1_000_000)
    }
}
