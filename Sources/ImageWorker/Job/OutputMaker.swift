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
    /// Where a job's placeholder finds what was decoded for its picture.
    var shared: SharedDecode?

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
        let (text, isClean) = PictureDescription.reading(output.plan)
        let plan = try Plan(canonicalText: text)
        if plan.settings.format.isWords { return try makeWords(plan, isClean: isClean) }
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let size = steps.last?.output.size ?? facts.orientedSize
        let format = chooseFormat(plan, size)
        guard max(size.width, size.height) <= Encoder.longestSide(of: format) else {
            throw WorkerReply.Failure.refused("\(format) holds no picture of \(size) pixels")
        }
        let isAnimated = facts.frames > 1 && (format == .gif || format == .webp)
        if isAnimated { try checkFrames() }

        var (canvas, animation) = try load(plan, steps, format, isAnimated: isAnimated)
        clock.endDecode()
        for resolved in steps { try apply(resolved, to: &canvas) }
        let finished = try finish(canvas, animation, plan, format)
        clock.endTransform()

        try deadline.check()
        deadline.watch(finished)
        let settings = Encoder.Settings(
            format: format,
            quality: quality(plan, format),
            strips: plan.settings.metadata == .strip
        )
        let encoded = try Encoder(settings: settings).encode(finished)
        try OutputLimit.check(encoded.count)
        clock.endEncode()
        let description = WorkerReply.Output(
            format: .picture(format),
            width: size.width,
            height: size.height,
            frames: canvas.frames.count,
            hasAlpha: finished.hasAlpha,
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
            outputSize: size
        )
    }

    private func quality(_ plan: Plan, _ format: ImageFormat) -> Int {
        if let quality = plan.settings.quality { return quality }
        return switch format {
        case .webp: output.quality.webp
        case .avif: output.quality.avif
        default: output.quality.jpeg
        }
    }

    private func checkFrames() throws(WorkerReply.Failure) {
        guard facts.frames <= maximumFrames else {
            throw .refused("\(facts.frames) frames; the limit is \(maximumFrames)")
        }
        let total = facts.size.pixels.multipliedSaturated(by: facts.frames)
        let limit = maximumPixels.multipliedSaturated(by: Self.animationFactor)
        guard total <= limit else { throw .refused("\(total) pixels in all frames; the limit is \(limit)") }
    }

    func load(
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
        var opened = try decoder.open(shrink: factor, allFrames: isAnimated)
        if let shared, !isAnimated { opened = try shared.keep(opened, loadFactor: factor) }
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

    func apply(_ resolved: ResolvedStep, to canvas: inout Canvas) throws {
        guard let step = resolved.step as? any PixelStep else {
            throw WorkerReply.Failure.worker("a step without pixels: \(type(of: resolved.step))")
        }
        try step.apply(to: &canvas)
        guard canvas.shape == resolved.output else {
            throw WorkerReply.Failure.worker("a step made \(canvas.shape.size) and not \(resolved.output.size)")
        }
    }

    /// Puts the background under what is transparent, filters metadata, and stacks an animation's frames.
    private func finish(
        _ canvas: consuming Canvas,
        _ animation: Animation?,
        _ plan: Plan,
        _ format: ImageFormat
    ) throws -> Raster {
        var canvas = canvas
        try canvas.settle()
        try canvas.layBackground(plan.background, formatHasAlpha: format != .jpeg)
        let stack = try animation?.stacked(canvas.frames) ?? canvas.frames[0]
        return try MetadataFilter(policy: plan.settings.metadata).apply(to: stack)
    }
}
