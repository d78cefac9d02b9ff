/// The estimated cost of a transform, used for admission and queueing before a worker is involved.
package struct CostEstimate: Hashable, Sendable {
    /// Pixels to decode, over all frames, after shrink-on-load.
    package let decodedPixels: Int
    /// Pixels to encode, over all frames.
    package let encodedPixels: Int
    /// The cost of the steps over all frames, in units of one cheap pass over one pixel.
    package let work: Int

    /// Estimates the cost of a plan on a source.
    ///
    /// - Parameters:
    ///   - header: the sniffed header; a size of 0 (SVG, PDF) costs nothing to decode, but the result's pixels count.
    ///   - format: the negotiated format; a still format takes one frame.
    /// - Throws: 422, as `PlanGeometry.resolve`.
    package init(
        of plan: Plan,
        header: ImageHeader,
        format: ImageFormat,
        maximumPixels: Int = 50_000_000
    ) throws(RequestError) {
        let size = header.orientedSize
        let frames = Self.frames(of: header, as: format)
        guard size.width > 0, size.height > 0 else {
            let pixels = Self.requestedPixels(of: plan)
            self.init(decoded: 0, encoded: pixels, work: 0, frames: 1)
            return
        }
        let steps = try PlanGeometry.resolve(plan, source: size, maximumPixels: maximumPixels)
        let factor = ShrinkOnLoad.factor(
            for: header.format,
            steps: steps,
            source: size,
            orientation: header.orientation
        )
        let output = steps.last?.output.size ?? size
        // The steps up to and including the resize see the reduced image.
        let resize = factor == 1 ? nil : steps.firstIndex { $0.step is ResizeStep }
        var work = 0
        for (index, resolved) in steps.enumerated() {
            let shrink = index <= resize ?? -1 ? factor : 1
            let loaded = PixelSize(
                width: .side(resolved.input.size.width, dividedBy: shrink),
                height: .side(resolved.input.size.height, dividedBy: shrink)
            )
            work = work.addingSaturated(resolved.step.cost(on: PictureShape(size: loaded)))
        }
        self.init(
            decoded: size.pixels / (factor * factor),
            encoded: output.pixels,
            work: work,
            frames: frames
        )
    }

    private init(decoded: Int, encoded: Int, work: Int, frames: Int) {
        decodedPixels = decoded.multipliedSaturated(by: frames)
        encodedPixels = encoded.multipliedSaturated(by: frames)
        self.work = work.multipliedSaturated(by: frames)
    }

    private static func frames(of header: ImageHeader, as format: ImageFormat) -> Int {
        switch format {
        case .gif, .webp, .png, .avif: max(1, header.frames)
        default: 1
        }
    }

    /// The pixels a plan requests of a source without intrinsic size.
    private static func requestedPixels(of plan: Plan) -> Int {
        let resize = plan.steps.lazy.compactMap { $0 as? ResizeStep }.first
        guard let resize else { return 0 }
        // A percentage of nothing is a pixel.
        let (stated, height) = (resize.width?.side(in: 1), resize.height?.side(in: 1))
        let width = stated ?? height ?? 0
        return width.multipliedSaturated(by: height ?? width)
    }
}
