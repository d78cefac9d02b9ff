import ImagePlan

extension SharpenStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.change(to: canvas.shape) { frame in try frame.sharpened(sigma: sigma.value) }
        try canvas.compute()
    }
}
