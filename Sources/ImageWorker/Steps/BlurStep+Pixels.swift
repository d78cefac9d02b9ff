import ImagePlan

extension BlurStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        // Several passes over the same lines.
        try canvas.settle()
        try canvas.makeRandomAccess()
        try canvas.change(to: canvas.shape) { frame in
            try frame.transparently { frame in try frame.blurred(sigma: sigma.value) }
        }
    }
}
