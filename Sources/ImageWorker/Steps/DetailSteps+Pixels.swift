import CVips
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
        let factor = lasting > 1 ? lasting : largestFactor / canvas.loadFactor
        guard factor > 1 else {
            // The blur reads each line several times.
            try canvas.makeRandomAccess()
            try canvas.change(to: canvas.shape) { frame in try frame.transparently { try $0.blurred(sigma: sigma) } }
            return
        }
        let kept = ShrinkOnLoad.factor(notEnlarging: lasting, before: canvas.following, loaded: canvas.loadFactor)
        guard kept > 1 else {
            try canvas.change(to: canvas.shape) { frame in
                let size = PixelSize(width: frame.width, height: frame.height)
                return try frame.transparently { try $0.blurred(sigma, reducedBy: factor, to: size, deadline) }
            }
            return
        }
        try canvas.shrink(by: kept) { frame in
            let size = PixelSize(
                width: .side(frame.width, dividedBy: kept),
                height: .side(frame.height, dividedBy: kept)
            )
            return try frame.transparently { try $0.blurred(sigma, reducedBy: factor, to: size, deadline) }
        }
    }
}

extension Raster {
    /// The pixels that a reduced image has beyond each edge: as many as the kernel that reduces it reaches.
    ///
    /// The outermost repeat the edge pixels of the whole image, so the blur may repeat them. Without them, pixels of a reduced image's edge,
    /// into which the pixels next to the edge are mixed, would be repeated.
    private static let margin = 3

    /// Blurs on an image reduced by a factor, with a correspondingly smaller sigma, and scales the result to a size.
    fileprivate func blurred(
        _ sigma: Double,
        reducedBy factor: Int,
        to size: PixelSize,
        _ deadline: Deadline
    ) throws -> Raster {
        // The longer side first, since the margins of a narrow image are many times as large as the image.
        let reduced =
            try width >= height
            ? reducedAcross(by: factor).reducedDown(by: factor) : reducedDown(by: factor).reducedAcross(by: factor)
        deadline.watch(reduced)
        // In memory, since the blur reads each line several times.
        let blurred = try reduced.inMemory().blurred(sigma: sigma / Double(factor))
        deadline.watch(blurred)
        let small = try blurred.inMemory()
        let (across, down) = (size.width * factor, size.height * factor)
        if across == width, down == height {
            return try small.cropped(left: Self.margin, top: Self.margin, width: size.width, height: size.height)
        }
        let scales = (across: Double(across) / Double(width), down: Double(down) / Double(height))
        return try Raster.make("affine") { out in
            unsafe edge_vips_scale_part(
                small.pointer,
                &out,
                Double(Self.margin),
                Double(Self.margin),
                scales.across,
                scales.down,
                CInt(size.width),
                CInt(size.height)
            )
        }
    }

    /// Reduces the width by a factor, with a margin on both sides.
    private func reducedAcross(by factor: Int) throws(VipsError) -> Raster {
        let columns = (width + factor - 1) / factor + 2 * Self.margin
        let extended = try repeatingEdges(left: Self.margin * factor, top: 0, width: columns * factor, height: height)
        return try extended.resized(width: columns, height: height)
    }

    /// Reduces the height by a factor, with a margin above and below.
    private func reducedDown(by factor: Int) throws(VipsError) -> Raster {
        let rows = (height + factor - 1) / factor + 2 * Self.margin
        let extended = try repeatingEdges(left: 0, top: Self.margin * factor, width: width, height: rows * factor)
        return try extended.resized(width: width, height: rows)
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
