import ImagePlan

extension BlurStep: PixelStep {
    /// Blurs a picture as small as the blur allows, and leaves it so small where the next resize scales it anyway.
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
            // Several passes over the same lines.
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
    /// Scaled down by about `factor`, and blurred as much less.
    fileprivate func smallAndBlurred(_ sigma: Double, factor: Int, _ deadline: Deadline) throws -> Raster {
        let small = try resized(width: .side(width, dividedBy: factor), height: .side(height, dividedBy: factor))
        // In memory: the blur passes several times over the same lines.
        deadline.watch(small)
        // By what the longer side was really divided.
        let scale = width >= height ? Double(small.width) / Double(width) : Double(small.height) / Double(height)
        return try small.inMemory().blurred(sigma: sigma * scale)
    }
}

extension SharpenStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.change(to: canvas.shape) { frame in try frame.sharpened(sigma: sigma.value) }
        try canvas.compute()
    }
}

extension PixelateStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let deadline = canvas.deadline
        try canvas.change(to: canvas.shape) { frame in
            let means =
                frame.hasAlpha
                ? try frame.premultiplied().blockMeans(block: block).unpremultiplied()
                : try frame.blockMeans(block: block)
            let small = try means.roundedToEightBits()
            deadline.watch(small)
            // In memory: every line of it is read once for each line of its blocks.
            return try small.inMemory().blocks(block, width: frame.width, height: frame.height)
        }
    }
}
