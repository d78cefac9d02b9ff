import ImagePlan

extension RoundStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let after = try shape(after: canvas.shape)
        let mask = try CornerMask(size: after.size, corners: after.corners).raster()
        try canvas.change(to: after) { frame in try frame.masked(by: mask) }
    }
}

extension CornerMask {
    /// The coverage as a picture of one band.
    func raster(inset: Double = 0) throws(VipsError) -> Raster {
        try Raster.greyscale(coverage(inset: inset), width: size.width, height: size.height)
    }
}
