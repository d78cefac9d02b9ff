import CVips
import ImagePlan

extension RoundStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let after = try shape(after: canvas.shape)
        let shape = CornerMask(size: after.size, corners: after.corners)
        // As the last step, it can composite over an opaque background without an alpha band in between.
        let background = canvas.following.isEmpty ? canvas.opaqueBackground : nil
        let (deadline, coverage) = (canvas.deadline, shape.coverage())
        try canvas.change(to: after) { frame in
            if let background, !frame.hasAlpha, frame.bands == 3, frame.format == VIPS_FORMAT_UCHAR {
                return try frame.laid(on: background, by: coverage, deadline)
            }
            return try frame.masked(by: shape.raster(of: coverage))
        }
    }
}

extension Raster {
    /// Composites an opaque 8-bit RGB image over a colour.
    ///
    /// - Parameter coverage: the opacity of each pixel, 0–255, row by row.
    fileprivate func laid(on color: Color, by coverage: [UInt8], _ deadline: Deadline) throws(VipsError) -> Raster {
        let ink = [UInt32(color.red), UInt32(color.green), UInt32(color.blue)]
        var start = 0
        return try mapped(deadline) { source, target, pixels in
            unsafe target.copyMemory(from: source, byteCount: pixels * 3)
            for pixel in 0..<pixels where coverage[start + pixel] != 255 {
                let share = UInt32(coverage[start + pixel])
                for band in 0..<3 {
                    let value = unsafe UInt32(source.load(fromByteOffset: pixel * 3 + band, as: UInt8.self))
                    let mixed = UInt8((value * share + ink[band] * (255 - share) + 127) / 255)
                    unsafe target.storeBytes(of: mixed, toByteOffset: pixel * 3 + band, as: UInt8.self)
                }
            }
            start += pixels
        }
    }
}

extension CornerMask {
    /// Returns the coverage as an image of one band.
    func raster(inset: Double = 0) throws(VipsError) -> Raster {
        try raster(of: coverage(inset: inset))
    }

    /// Returns a coverage as an image of one band.
    func raster(of coverage: [UInt8]) throws(VipsError) -> Raster {
        try Raster.greyscale(coverage, width: size.width, height: size.height)
    }
}

extension BorderStep: PixelStep {
    /// Draws the line and masks the corners again, so that antialiased arc pixels mix only with the line.
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
