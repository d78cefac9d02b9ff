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
    /// What the job's outputs share.
    var shared: SharedDecode?
    /// The other originals that the steps name.
    var ingredients: IngredientPictures?

    /// The frames of an animation together may hold this many times the pixels of the largest still.
    private static let animationFactor = 4

    /// A picture made, and what it took.
    struct Made {
        var description: WorkerReply.Output
        var encoded: EncodedPicture
        var timing: WorkerReply.Timing
    }

    /// Whether it is what pages show before the picture.
    var isPlaceholder: Bool { output.plan == Placeholder.planText }

    /// How much smaller the output lets its source be loaded; `nil` where it takes all frames of an animation, or is words.
    ///
    /// - Throws: as `make`.
    func loadFactor() throws -> Int? {
        if let mezzanine = Mezzanine(planText: output.plan) { return decoder.loadFactor(of: mezzanine) }
        let plan = try Plan(canonicalText: PictureDescription.reading(output.plan).0)
        guard !plan.settings.format.isWords, !decoder.drawsAtAnySize else { return nil }
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let format = chooseFormat(plan, steps.last?.output.size ?? facts.orientedSize)
        return isAnimated(format) ? nil : decoder.loadFactor(steps, facts)
    }

    private func isAnimated(_ format: ImageFormat) -> Bool {
        facts.frames > 1 && CoderRegistry.encoders[format]?.hasAnimation == true
    }

    /// Makes the output.
    ///
    /// - Throws: `VipsError`, `RequestError` or `WorkerReply.Failure`.
    func make() throws -> Made {
        if isPlaceholder { return makePlaceholder() }
        if let mezzanine = Mezzanine(planText: output.plan) {
            return try MezzanineMaker(decoder: decoder, facts: facts, mezzanine: mezzanine, deadline: deadline)
                .make(from: shared)
        }
        var clock = StageClock()
        let (text, isClean) = PictureDescription.reading(output.plan)
        let plan = try Plan(canonicalText: text)
        if plan.settings.format.isWords { return try makeWords(plan, isClean: isClean) }
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let planned = steps.last?.output.size ?? facts.orientedSize
        let format = chooseFormat(plan, planned)
        guard let coder = CoderRegistry.coder(for: format), let traits = CoderRegistry.encoders[format] else {
            throw WorkerReply.Failure.unsupported("\(format) is not encoded here")
        }
        if steps.last?.isExact ?? true { try check(planned, format, traits) }
        let isAnimated = isAnimated(format)
        if isAnimated { try checkFrames() }

        var (canvas, animation) = try load(plan, steps, format, isAnimated: isAnimated)
        clock.endDecode()
        try apply(steps, of: plan, to: &canvas)
        let size = canvas.shape.size
        try check(size, format, traits)
        let finished = try finish(canvas, animation, plan, keepsAlpha: traits.hasAlpha)
        clock.endTransform()

        try deadline.check()
        let options = EncodingOptions(plan, output.quality, format: format, deadline: deadline)
        let encoded = try coder.encodeWithinBounds(finished, options)
        try OutputLimit.check(encoded.count)
        clock.endEncode()
        let description = WorkerReply.Output(
            format: .picture(format),
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

    func load(
        _ plan: Plan,
        _ steps: [ResolvedStep],
        _ format: ImageFormat,
        isAnimated: Bool
    ) throws -> (Canvas, Animation?) {
        let factor = isAnimated ? 1 : decoder.loadFactor(steps, facts)
        let options = DecodingOptions(
            allFrames: isAnimated,
            dpi: plan.settings.dpi ?? PlanSetting.standardDPI,
            scale: decoder.scale(for: steps, of: facts.orientedSize, maximumPixels: maximumPixels)
        )
        let decoded = isAnimated ? nil : try shared?.raster(factor)
        let opened = try decoded ?? decoder.open(factor: factor, options)
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

    private func check(
        _ size: PixelSize,
        _ format: ImageFormat,
        _ traits: EncoderTraits
    ) throws(WorkerReply.Failure) {
        guard max(size.width, size.height) <= traits.longestSide else {
            throw .refused("\(format) holds no picture of \(size) pixels")
        }
    }

    /// Runs the steps; those behind one whose size only the pixels tell are resolved again on what it made.
    func apply(_ steps: [ResolvedStep], of plan: Plan, to canvas: inout Canvas) throws {
        var steps = steps
        for index in plan.steps.indices {
            guard let step = steps[index].step as? any PixelStep else {
                throw WorkerReply.Failure.worker("a step without pixels: \(type(of: steps[index].step))")
            }
            canvas.following = steps[(index + 1)...]
            canvas.ingredients = ingredients
            try step.apply(to: &canvas)
            let (made, planned) = (canvas.shape, steps[index].output)
            if step.sizeDependsOnPixels {
                let rest = plan.steps[(index + 1)...]
                let resolved = try PlanGeometry.resolve(rest, from: made, maximumPixels: maximumPixels)
                steps.replaceSubrange((index + 1)..., with: resolved)
            }
            let isRight = step.sizeDependsOnPixels ? made.size.isContained(in: planned.size) : made == planned
            guard isRight else {
                throw WorkerReply.Failure.worker("a step made \(made.size) and not \(planned.size)")
            }
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
