import ImagePlan

extension BorderStep: PixelStep {
    /// Draws the line over the picture, then cuts the corners once more: on an arc the line alone meets what lies behind.
    func apply(to canvas: inout Canvas) throws {
        let shape = canvas.shape
        let mask = CornerMask(size: shape.size, corners: shape.corners)
        let opacity = Double(color.alpha) / 255
        let line = mask.coverage(inset: width.value).map { inner in
            UInt8(Double(255 - inner) * opacity + 0.5)
        }
        let alpha = try Raster.greyscale(line, width: shape.size.width, height: shape.size.height)
        let outline = shape.corners.isSquare ? nil : try mask.raster()
        try canvas.change(to: shape) { frame in
            let layer = try frame.constant([Double(color.red), Double(color.green), Double(color.blue)]).joined(
                with: alpha
            )
            let drawn = try frame.withAlpha().composited(with: layer)
            if let outline { return try drawn.masked(by: outline) }
            return frame.hasAlpha ? drawn : try drawn.bands(from: 0, count: drawn.bands - 1)
        }
    }
}
