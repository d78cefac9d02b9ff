import CVips
import ImagePlan
import LinuxSystem

/// Makes one output of a source: opens it as small as the plan allows, runs the steps, encodes.
struct OutputMaker {
    let decoder: SourceDecoder
    let facts: SourceDecoder.Facts
    let output: WorkerJob.Output
    let maximumPixels: Int
    let maximumFrames: Int
    let deadline: Deadline

    /// The frames of an animation together may hold this many times the pixels of the largest still.
    private static let animationFactor = 4

    /// A picture made, and what it took.
    struct Made {
        var description: WorkerReply.Output
        var encoded: EncodedPicture
        var timing: WorkerReply.Timing
    }

    /// Makes the picture.
    ///
    /// - Throws: `VipsError`, `RequestError` or `WorkerReply.Failure`.
    func make() throws -> Made {
        var clock = StageClock()
        let plan = try Plan(canonicalText: output.plan)
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let size = steps.last?.output.size ?? facts.orientedSize
        let format = chooseFormat(plan, size)
        guard let coder = CoderRegistry.coder(for: format), let traits = CoderRegistry.encoders[format] else {
            throw WorkerReply.Failure.unsupported("\(format) is not encoded here")
        }
        guard max(size.width, size.height) <= traits.longestSide else {
            throw WorkerReply.Failure.refused("\(format) holds no picture of \(size) pixels")
        }
        let isAnimated = facts.frames > 1 && traits.hasAnimation
        if isAnimated { try checkFrames() }

        var (canvas, animation) = try load(plan, steps, format, isAnimated: isAnimated)
        clock.endDecode()
        for resolved in steps { try apply(resolved, to: &canvas) }
        let finished = try finish(canvas, animation, plan, keepsAlpha: traits.hasAlpha)
        clock.endTransform()

        try deadline.check()
        let options = EncodingOptions(plan, output.quality, format: format, deadline: deadline)
        let encoded = try coder.encodeWithinBounds(finished, options)
        try OutputLimit.check(encoded.count)
        clock.endEncode()
        let description = WorkerReply.Output(
            format: format,
            width: size.width,
            height: size.height,
            frames: canvas.frames.count,
            hasAlpha: finished.frames[0].hasAlpha,
            length: encoded.count
        )
        return Made(description: description, encoded: encoded, timing: clock.timing)
    }

    private func chooseFormat(_ plan: Plan, _ size: PixelSize) -> ImageFormat {
        FormatNegotiation.choose(
            plan.settings.format,
            bucket: output.bucket,
            sourceFormat: facts.format,
            hasAlpha: facts.hasAlpha,
            frames: facts.frames,
            plan: plan,
            outputSize: size,
            encoders: CoderRegistry.encoders
        )
    }

    private func checkFrames() throws(WorkerReply.Failure) {
        guard facts.frames <= maximumFrames else {
            throw .refused("\(facts.frames) frames; the limit is \(maximumFrames)")
        }
        let total = facts.size.pixels.multipliedSaturated(by: facts.frames)
        let limit = maximumPixels.multipliedSaturated(by: Self.animationFactor)
        guard total <= limit else { throw .refused("\(total) pixels in all frames; the limit is \(limit)") }
    }

    private func load(
        _ plan: Plan,
        _ steps: [ResolvedStep],
        _ format: ImageFormat,
        isAnimated: Bool
    ) throws -> (Canvas, Animation?) {
        let factor = ShrinkOnLoad.factor(
            for: facts.format,
            steps: steps,
            source: facts.orientedSize,
            orientation: facts.orientation
        )
        let opened = try decoder.open(
            DecodingOptions(
                shrink: factor,
                allFrames: isAnimated,
                dpi: plan.settings.dpi ?? PlanSetting.standardDPI,
                scale: decoder.scale(for: steps, of: facts.orientedSize, maximumPixels: maximumPixels)
            )
        )
        let background = plan.background ?? (format == .jpeg ? .white : nil)
        let canvas = Canvas(
            frames: isAnimated ? try Animation.frames(of: opened, height: facts.size.height) : [opened],
            size: facts.orientedSize,
            loadFactor: factor,
            orientation: Orientation(exif: facts.orientation),
            opaqueBackground: background.flatMap { $0.isOpaque ? $0 : nil },
            deadline: deadline
        )
        return (canvas, isAnimated ? Animation(of: opened) : nil)
    }

    private func apply(_ resolved: ResolvedStep, to canvas: inout Canvas) throws {
        guard let step = resolved.step as? any PixelStep else {
            throw WorkerReply.Failure.worker("a step without pixels: \(type(of: resolved.step))")
        }
        try step.apply(to: &canvas)
        guard canvas.shape == resolved.output else {
            throw WorkerReply.Failure.worker("a step made \(canvas.shape.size) and not \(resolved.output.size)")
        }
    }

    /// Puts the background under what is transparent.
    private func finish(
        _ canvas: consuming Canvas,
        _ animation: Animation?,
        _ plan: Plan,
        keepsAlpha: Bool
    ) throws -> FinishedPicture {
        var canvas = canvas
        try canvas.settle()
        try canvas.layBackground(plan.background, formatHasAlpha: keepsAlpha)
        return FinishedPicture(
            frames: canvas.frames,
            animation: animation,
            filter: MetadataFilter(policy: plan.settings.metadata)
        )
    }
}
