/// What a transform will about cost, estimated before a worker is asked: for admission and for the queue.
package struct CostEstimate: Hashable, Sendable {
    /// Pixels that are decoded, all frames, after shrink-on-load.
    package let decodedPixels: Int
    /// Pixels that are encoded, all frames.
    package let encodedPixels: Int
    /// The steps' work, all frames, in units of one cheap pass over one pixel.
    package let work: Int
    /// An upper bound for the bytes of pixels held at once: the decoded picture and the largest one after it, 4 bytes a pixel.
    package let memory: Int

    /// Bytes of a pixel as it is held: four bands of eight bits.
    private static let bytesPerPixel = 4

    /// Estimates a plan on a source.
    ///
    /// - Parameters:
    ///   - header: What the sniffer read; a size of 0 (SVG, PDF) costs nothing here, the result's pixels still count.
    ///   - format: The result's format, as negotiated: a still one takes one frame.
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
            self.init(decoded: 0, encoded: Self.asked(of: plan), largest: Self.asked(of: plan), work: 0, frames: 1)
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
        // What stands before the resize, and the resize itself, see the picture as it was loaded.
        let resize = factor == 1 ? nil : steps.firstIndex { $0.step is ResizeStep }
        var work = 0
        var largest = 0
        for (index, resolved) in steps.enumerated() {
            let shrink = index <= resize ?? -1 ? factor : 1
            let loaded = PixelSize(
                width: .side(resolved.input.size.width, dividedBy: shrink),
                height: .side(resolved.input.size.height, dividedBy: shrink)
            )
            work = work.addingSaturated(resolved.step.cost(on: PictureShape(size: loaded)))
            let before = resize.map { index < $0 } ?? false
            largest = max(largest, resolved.output.size.pixels / (before ? factor * factor : 1))
        }
        self.init(
            decoded: size.pixels / (factor * factor),
            encoded: output.pixels,
            largest: largest,
            work: work,
            frames: frames
        )
    }

    private init(decoded: Int, encoded: Int, largest: Int, work: Int, frames: Int) {
        decodedPixels = decoded.multipliedSaturated(by: frames)
        encodedPixels = encoded.multipliedSaturated(by: frames)
        self.work = work.multipliedSaturated(by: frames)
        memory = decoded.addingSaturated(largest)
            .multipliedSaturated(by: frames)
            .multipliedSaturated(by: Self.bytesPerPixel)
    }

    private static func frames(of header: ImageHeader, as format: ImageFormat) -> Int {
        switch format {
        case .gif, .webp: max(1, header.frames)
        default: 1
        }
    }

    /// The pixels that a plan asks of a source without a size of its own.
    private static func asked(of plan: Plan) -> Int {
        let resize = plan.steps.lazy.compactMap { $0 as? ResizeStep }.first
        guard let resize else { return 0 }
        let width = resize.width ?? resize.height ?? 0
        return width.multipliedSaturated(by: resize.height ?? width)
    }
}
