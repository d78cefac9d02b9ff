import ImagePlan

extension MaskStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let size = canvas.shape.size
        let mask =
            switch outline {
            case .shape(let shape):
                try Raster.greyscale(
                    ShapeMask(size: size, outline: shape.outline(in: size)).coverage(),
                    width: size.width,
                    height: size.height
                )
            case .picture(let path): try Self.coverage(path, size, canvas.auxiliaries)
            }
        try canvas.change(to: canvas.shape) { frame in try frame.masked(by: mask) }
    }

    /// Returns another image's luma (as of `filter=grayscale`) times its alpha, 0–255 per pixel.
    private static func coverage(
        _ path: AuxiliaryPath,
        _ size: PixelSize,
        _ auxiliaries: AuxiliaryPictures?
    ) throws -> Raster {
        guard let auxiliaries else { throw WorkerReply.Failure.worker("\(name): an auxiliary image is missing") }
        let picture = try auxiliaries.picture(path, for: name) { _ in size }
        let luma = try picture.bands(from: 0, count: 3)
            .recombined(by: .lumaRamp(from: [0, 0, 0], to: [255, 255, 255]))
            .bands(from: 0, count: 1)
        let alpha = try picture.bands(from: 3, count: 1)
        return try luma.times(alpha).linear([1.0 / 255], plus: [0.5], isEightBit: true).inMemory()
    }
}

extension MaskStep.Shape {
    /// Returns the shape fitted into an image.
    func outline(in size: PixelSize) -> any MaskOutline {
        switch self {
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
