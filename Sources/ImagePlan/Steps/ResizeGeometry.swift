/// The sizes of a resize: the image is scaled, then framed.
package struct ResizeGeometry: Hashable, Sendable {
    /// What happens after scaling.
    package enum Framing: Hashable, Sendable {
        case none
        /// `cover`: cropped to the box.
        case crop(CropPlacement)
        /// `pad`: placed on a canvas of the given size, its top left corner at `left`, `top`.
        case canvas(PixelSize, left: Int, top: Int)
    }

    /// The size of the scaled image, before framing.
    package let scaled: PixelSize
    package let framing: Framing

    /// The size of the result.
    package var output: PixelSize {
        switch framing {
        case .none: scaled
        case .crop(let placement): placement.size
        case .canvas(let size, _, _): size
        }
    }
}

extension ResizeStep {
    /// The sizes of the resize for an image whose sides are at least 1.
    package func geometry(for source: PixelSize) -> ResizeGeometry {
        let (width, height) = (width?.side(in: source.width), height?.side(in: source.height))
        guard let width, let height else {
            let scaled = scaledToOneSide(source, width: width, height: height)
            return ResizeGeometry(scaled: atLeast(scaled, of: source), framing: .none)
        }
        // A point in pixels is one of the image before it is scaled.
        let gravity = gravity.inFractions(of: source)
        let box = PixelSize(width: width, height: height)
        switch fit {
        case .contain:
            return ResizeGeometry(scaled: atLeast(contained(source, in: box), of: source), framing: .none)
        case .cover:
            return covering(source, box: box, gravity)
        case .crop:
            return cropping(source, box: box, gravity)
        case .auto:
            if (source.width >= source.height) == (width >= height) {
                return enlarge ? covering(source, box: box, gravity) : cropping(source, box: box, gravity)
            }
            return ResizeGeometry(scaled: contained(source, in: box), framing: .none)
        case .adaptive:
            let isTurned =
                source.width < source.height && width > height || source.width > source.height && width < height
            let turned = isTurned ? PixelSize(width: height, height: width) : box
            return ResizeGeometry(scaled: contained(source, in: turned), framing: .none)
        case .fill:
            let clamped = PixelSize(width: min(width, source.width), height: min(height, source.height))
            return ResizeGeometry(scaled: enlarge ? box : clamped, framing: .none)
        case .pad:
            let scaled = contained(source, in: box)
            let corner = gravity.corner(of: scaled, onCanvas: box)
            let framing = ResizeGeometry.Framing.canvas(box, left: corner.left, top: corner.top)
            return ResizeGeometry(scaled: scaled, framing: scaled == box ? .none : framing)
        case .outside:
            return ResizeGeometry(scaled: atLeast(outside(source, box), of: source), framing: .none)
        }
    }

    /// The smallest size with the source's aspect ratio that covers a box; the source's where that would enlarge it and must not.
    private func outside(_ source: PixelSize, _ box: PixelSize) -> PixelSize {
        enlarge || box.isContained(in: source) ? Self.covering(source, box) : source
    }

    /// The image around a box, cut where it exceeds the box.
    private func cropping(_ source: PixelSize, box: PixelSize, _ gravity: Gravity) -> ResizeGeometry {
        let scaled = outside(source, box)
        let part = PixelSize(width: min(box.width, scaled.width), height: min(box.height, scaled.height))
        return Self.cut(scaled, to: part, gravity: gravity)
    }

    /// A scaled size, enlarged to the least sides.
    private func atLeast(_ size: PixelSize, of source: PixelSize) -> PixelSize {
        var size = size
        if let leastWidth, size.width < leastWidth {
            size = PixelSize(width: leastWidth, height: .side(source.height * leastWidth, dividedBy: source.width))
        }
        if let leastHeight, size.height < leastHeight {
            size = PixelSize(width: .side(source.width * leastHeight, dividedBy: source.height), height: leastHeight)
        }
        return size
    }

    /// The size if only one side is given: the other follows the aspect ratio.
    private func scaledToOneSide(_ source: PixelSize, width: Int?, height: Int?) -> PixelSize {
        if let width {
            guard enlarge || width < source.width else { return source }
            return PixelSize(width: width, height: .side(source.height * width, dividedBy: source.width))
        }
        guard let height, enlarge || height < source.height else { return source }
        return PixelSize(width: .side(source.width * height, dividedBy: source.height), height: height)
    }

    /// The largest size with the source's aspect ratio that fits a box; not larger than the source unless `enlarge` is set.
    private func contained(_ source: PixelSize, in box: PixelSize) -> PixelSize {
        if !enlarge && source.width <= box.width && source.height <= box.height { return source }
        // box.width ÷ source.width ≤ box.height ÷ source.height: the width is the limit.
        if box.width * source.height <= box.height * source.width {
            return PixelSize(width: box.width, height: .side(source.height * box.width, dividedBy: source.width))
        }
        return PixelSize(width: .side(source.width * box.height, dividedBy: source.height), height: box.height)
    }

    /// The smallest size with the source's aspect ratio that covers the box, and the crop; a box beyond the source shrinks first.
    private func covering(_ source: PixelSize, box: PixelSize, _ gravity: Gravity) -> ResizeGeometry {
        if !enlarge && (box.width > source.width || box.height > source.height) {
            // The largest box with the same aspect ratio inside the source: nothing is scaled.
            let shrunk =
                if source.width * box.height <= source.height * box.width {
                    PixelSize(width: source.width, height: .side(box.height * source.width, dividedBy: box.width))
                } else {
                    PixelSize(width: .side(box.width * source.height, dividedBy: box.height), height: source.height)
                }
            return Self.cut(source, to: shrunk, gravity: gravity)
        }
        return Self.cut(Self.covering(source, box), to: box, gravity: gravity)
    }

    /// The smallest size with the source's aspect ratio that covers a box.
    private static func covering(_ source: PixelSize, _ box: PixelSize) -> PixelSize {
        if box.width * source.height >= box.height * source.width {
            return PixelSize(width: box.width, height: .side(source.height * box.width, dividedBy: source.width))
        }
        return PixelSize(width: .side(source.width * box.height, dividedBy: source.height), height: box.height)
    }

    private static func cut(_ scaled: PixelSize, to box: PixelSize, gravity: Gravity) -> ResizeGeometry {
        guard scaled != box else { return ResizeGeometry(scaled: scaled, framing: .none) }
        return ResizeGeometry(
            scaled: scaled,
            framing: .crop(CropPlacement(of: box, in: scaled, gravity: gravity))
        )
    }
}
