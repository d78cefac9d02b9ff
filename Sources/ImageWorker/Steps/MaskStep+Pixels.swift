import ImagePlan

extension MaskStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let size = canvas.shape.size
        let mask = try Raster.greyscale(
            ShapeMask(size: size, outline: outline(in: size)).coverage(),
            width: size.width,
            height: size.height
        )
        try canvas.change(to: canvas.shape) { frame in try frame.masked(by: mask) }
    }

    /// The shape, placed in a picture.
    func outline(in size: PixelSize) -> any MaskOutline {
        switch shape {
        case .circle: Superellipse(exponent: 2, box: .square(in: size))
        case .ellipse: Superellipse(exponent: 2, box: .whole(size))
        case .squircle: Superellipse(exponent: 4, box: .square(in: size))
        case .triangle: PolygonOutline(.regular(3), in: size)
        case .diamond: PolygonOutline(.regular(4), in: size)
        case .pentagon: PolygonOutline(.regular(5), in: size)
        case .hexagon: PolygonOutline(.regular(6), in: size)
        case .octagon: PolygonOutline(.regular(8, turned: true), in: size)
        case .star: PolygonOutline(.star, in: size)
        case .heart: PolygonOutline(.heart(side: size.shorterSide), in: size)
        }
    }
}
