import ImagePlan

extension BlurStep: PixelStep {
    /// Blurs at the smallest size that the blur allows, and keeps that size if a resize follows.
    func apply(to canvas: inout Canvas) throws {
        try blur(&canvas)
        try canvas.compute()
    }

    private func blur(_ canvas: inout Canvas) throws {
        try canvas.settle()
        let sigma = sigma.value / Double(canvas.loadFactor)
        let deadline = canvas.deadline
        let lasting = ShrinkOnLoad.factor(under: self, before: canvas.following, loaded: canvas.loadFactor)
        if lasting > 1 {
            try canvas.shrink(by: lasting) { frame in
                try frame.transparently { try $0.smallAndBlurred(sigma, factor: lasting, deadline) }
            }
            return
        }
        let factor = largestFactor / canvas.loadFactor
        guard factor > 1 else {
            // The blur reads each line several times.
            try canvas.makeRandomAccess()
            try canvas.change(to: canvas.shape) { frame in try frame.transparently { try $0.blurred(sigma: sigma) } }
            return
        }
        try canvas.change(to: canvas.shape) { frame in
            try frame.transparently { frame in
                let small = try frame.smallAndBlurred(sigma, factor: factor, deadline)
                deadline.watch(small)
                return try small.inMemory().resized(width: frame.width, height: frame.height)
            }
        }
    }
}

extension Raster {
    /// Scales down by about `factor` and blurs with a correspondingly smaller sigma.
    fileprivate func smallAndBlurred(_ sigma: Double, factor: Int, _ deadline: Deadline) throws -> Raster {
        let small = try resized(width: .side(width, dividedBy: factor), height: .side(height, dividedBy: factor))
        // In memory, since the blur reads each line several times.
        deadline.watch(small)
        // The exact factor, by the longer side.
        let scale = width >= height ? Double(small.width) / Double(width) : Double(small.height) / Double(height)
        return try small.inMemory().blurred(sigma: sigma * scale)
    }
}

extension SharpenStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let (sigma, deadline) = (sigma.value, canvas.deadline)
        try canvas.change(to: canvas.shape) { frame in
            try frame.hasAlpha ? frame.visiblySharpened(sigma, deadline) : frame.sharpened(sigma: sigma)
        }
        try canvas.compute()
    }
}

extension Raster {
    /// Sharpens an image with alpha in memory, without its hidden colours: the mask is of CIELAB, which is not linear.
    fileprivate func visiblySharpened(_ sigma: Double, _ deadline: Deadline) throws -> Raster {
        deadline.watch(self)
        let source = try inMemory()
        let extended = try source.withExtendedColours(softness: 1.0 / 32, deadline)
        let sharpened = try extended.sharpened(sigma: sigma).withHiddenPixels(of: source)
        deadline.watch(sharpened)
        return try sharpened.inMemory()
    }
}

extension PixelateStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let deadline = canvas.deadline
        try canvas.change(to: canvas.shape) { frame in
            try frame.blockMeans(block: block, deadline).blocks(block, width: frame.width, height: frame.height)
        }
    }
}
