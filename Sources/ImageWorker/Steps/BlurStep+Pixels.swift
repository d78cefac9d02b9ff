import ImagePlan

extension BlurStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        // Several passes over the same lines.
        try canvas.settle()
        try canvas.makeRandomAccess()
        try canvas.change(to: canvas.shape) { frame in
            try frame.transparently { frame in try frame.widelyBlurred(sigma: sigma.value) }
        }
    }
}

extension Raster {
    /// The standard deviation from which a blur runs on a smaller picture.
    private static let wideSigma = 12.0

    /// Blurs at a cost that does not grow with `sigma`.
    ///
    /// A wide Gaussian leaves no detail that a picture scaled down to a deviation of six pixels or more could not hold.
    fileprivate func widelyBlurred(sigma: Double) throws(VipsError) -> Raster {
        guard sigma >= Self.wideSigma else { return try blurred(sigma: sigma) }
        let factor = (sigma / (Self.wideSigma / 2)).rounded(.down)
        let small = try resized(
            width: max(1, Int((Double(width) / factor).rounded())),
            height: max(1, Int((Double(height) / factor).rounded()))
        )
        return try small.blurred(sigma: sigma / factor).inMemory().resized(width: width, height: height)
    }
}
