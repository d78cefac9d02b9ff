import CVips
import ImagePlan

extension CropStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let placement = try placement(in: canvas.shape.size)
        if placement.size == canvas.shape.size { return }
        try canvas.crop(placement)
    }
}

extension Canvas {
    /// Cuts a rectangle out of every frame, the same of each: a smart crop looks at the first.
    mutating func crop(_ placement: CropPlacement) throws {
        switch placement {
        case .rectangle(let rectangle):
            try settle()
            let loaded = ShrinkOnLoad.rectangle(rectangle, of: shape.size, factor: loadFactor, on: loadedSize)
            try change(to: PictureShape(size: rectangle.size)) { frame in
                try frame.cropped(left: loaded.left, top: loaded.top, width: loaded.width, height: loaded.height)
            }
        case .searched(let size, let gravity):
            try settle()
            try makeRandomAccess()
            try deadline.check()
            let interest = gravity == .entropy ? VIPS_INTERESTING_ENTROPY : VIPS_INTERESTING_ATTENTION
            let offset = try frames[0].smartCropOffset(width: size.width, height: size.height, interest)
            try change(to: PictureShape(size: size)) { frame in
                try frame.cropped(left: offset.left, top: offset.top, width: size.width, height: size.height)
            }
        }
    }
}
