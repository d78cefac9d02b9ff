extension WatermarkStep {
    /// How large another picture is shown on this one: its own shape, at least a pixel, and never larger than the picture.
    ///
    /// - Parameter mark: the other picture's size after EXIF orientation; of a text, that of its ink.
    package func size(of mark: PixelSize, on picture: PixelSize) -> PixelSize {
        let across = Double(picture.width) / Double(mark.width)
        let down = Double(picture.height) / Double(mark.height)
        let whole = min(across, down)
        let factor =
            switch self.mark {
            case .picture(_, .own(let factor)): min(factor.value, whole)
            case .picture(_, .fraction(let fraction)): whole * fraction.value
            case .text: min(1, whole)
            }
        return PixelSize(
            width: Self.side(Double(mark.width) * factor, atMost: picture.width),
            height: Self.side(Double(mark.height) * factor, atMost: picture.height)
        )
    }

    private static func side(_ length: Double, atMost limit: Int) -> Int {
        max(1, min(limit, Int((length + 0.5).rounded(.down))))
    }

    /// Where the top left corner of a mark of some size lies on a picture, also outside of it; not for tiles.
    package func corner(of size: PixelSize, on picture: PixelSize) -> (left: Int, top: Int) {
        let (x, y) = (x.coordinate(in: picture.width), y.coordinate(in: picture.height))
        let left =
            switch place {
            case .west, .northwest, .southwest, .tile: x
            case .center, .north, .south: (picture.width - size.width).flooredQuotient(2) + x
            case .east, .northeast, .southeast: picture.width - size.width - x
            }
        let top =
            switch place {
            case .north, .northwest, .northeast, .tile: y
            case .center, .west, .east: (picture.height - size.height).flooredQuotient(2) + y
            case .south, .southwest, .southeast: picture.height - size.height - y
            }
        return (left, top)
    }

    /// A tile with the gaps to the right of it and below; no larger than it need be to stand alone on a picture.
    package func cell(of size: PixelSize, on picture: PixelSize) -> PixelSize {
        let (x, y) = (x.coordinate(in: picture.width), y.coordinate(in: picture.height))
        return PixelSize(
            width: min(size.width + x, max(size.width, picture.width)),
            height: min(size.height + y, max(size.height, picture.height))
        )
    }
}
