import CVips
import ImagePlan
import LinuxSystem

/// Makes one output: opens the source as small as the plan allows, runs the steps and encodes the result.
struct OutputMaker {
    let decoder: SourceDecoder
    let facts: SourceDecoder.Facts
    let output: WorkerJob.Output
    let maximumPixels: Int
    let limits: AnimationLimits
    let deadline: Deadline
    /// Whether the source exceeds a limit for this placeholder, although not for the image that it accompanies.
    var isRefused = false
    /// The decoded source that the job's outputs share.
    var shared: SharedDecode?
    /// Whether the job has no other output.
    var isAlone = true
    /// The other originals that the steps name.
    var auxiliaries: AuxiliaryPictures?
    /// The formats that results may not have.
    var unwritten: Set<ImageFormat> = []

    /// A result and the time that it took.
    struct Made {
        var description: WorkerReply.Output
        var encoded: EncodedPicture
        var timing: WorkerReply.Timing
    }

    /// Whether the output is the placeholder that pages show before the image.
    var isPlaceholder: Bool { output.plan == Placeholder.planText }

    /// Returns the factor by which the source may be loaded smaller.
    ///
    /// `nil` if the output takes all frames, takes a frame or page other than the first, or describes the image.
    ///
    /// - Throws: as `make`.
    func loadFactor() throws -> Int? {
        if let mezzanine = Mezzanine(planText: output.plan) { return decoder.loadFactor(of: mezzanine) }
        if LosslessCopy.orientation(inPlan: output.plan) != nil { return nil }
        if OriginalTranscoding.isClean(inPlan: output.plan) != nil { return nil }
        let plan = try readPlan(PictureDescription.reading(output.plan).0)
        guard !plan.settings.format.isMetadata, !decoder.drawsAtAnySize, !takesAnother(plan) else { return nil }
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let (_, choice) = try chooseFrames(plan, steps.last?.output.size ?? facts.orientedSize)
        guard case .still = choice else { return nil }
        return decoder.loadFactor(steps, facts, within: limits.bytes)
    }

    /// The stored size to which the first step scales the whole image; `nil` if it does anything else.
    ///
    /// - Throws: as `make`.
    func firstResize() throws -> PixelSize? {
        let plan = try readPlan(PictureDescription.reading(output.plan).0)
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        guard let resize = steps.first?.step as? ResizeStep, !resize.isLinear else { return nil }
        let scaled = resize.geometry(for: facts.orientedSize).scaled
        return Orientation(exif: facts.orientation).swapsSides ? scaled.transposed : scaled
    }

    private func readPlan(_ text: String) throws(RequestError) -> Plan {
        try decoder.effective(Plan(canonicalText: text), of: facts.orientedSize, maximumPixels: maximumPixels)
    }

    /// Whether a plan takes a frame or page other than the first.
    private func takesAnother(_ plan: Plan) -> Bool {
        plan.settings.animation.page > 0 || plan.settings.animation.frame != nil
    }

    /// Makes the output.
    ///
    /// - Throws: `VipsError`, `RequestError` or `WorkerReply.Failure`.
    func make() throws -> Made {
        if isPlaceholder { return makePlaceholder() }
        if let mezzanine = Mezzanine(planText: output.plan) {
            return try MezzanineMaker(decoder: decoder, facts: facts, mezzanine: mezzanine, deadline: deadline)
                .make(from: shared, mayDecode: isAlone)
        }
        if let orientation = LosslessCopy.orientation(inPlan: output.plan) {
            return try LosslessCopyMaker(decoder: decoder, facts: facts, orientation: orientation, deadline: deadline)
                .make()
        }
        if let isClean = OriginalTranscoding.isClean(inPlan: output.plan) {
            return try transcodeOriginal(isClean: isClean)
        }
        var clock = StageClock()
        let (text, isClean) = PictureDescription.reading(output.plan)
        let plan = try readPlan(text)
        if plan.settings.format.isMetadata { return try makeDescription(plan, isClean: isClean) }
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let planned = steps.last?.output.size ?? facts.orientedSize
        let (format, choice) = try chooseFrames(plan, planned)
        if choice == .original { return try giveOriginal(plan) }
        if let made = try transcode(plan, steps, as: format) { return made }
        guard let traits = encoders[format] else {
            throw WorkerReply.Failure.unsupported("encoding \(format) is not supported")
        }
        if steps.last?.isExact ?? true { try check(planned, format, traits) }
        try checkTransparency(plan, format, traits)

        var (canvas, animation) = try load(plan, steps, format, choice)
        clock.endDecode()
        try apply(steps, of: plan, to: &canvas)
        let size = canvas.shape.size
        try check(size, format, traits)
        let container = format == .jpeg ? try gainMap(plan, showing: canvas.region, size) : nil
        var finished = try finish(canvas, animation, plan, keepsAlpha: traits.hasAlpha)
        if plan.settings.animation.isReversed { finished = try finished.reversed(deadline) }
        clock.endTransform()

        try deadline.check()
        // It may be encoded twice, and is read once only.
        if container != nil, plan.settings.encoding.maximumBytes != nil { finished = try finished.inMemory(deadline) }
        let contenders = contenders(plan, format, size, isAnimated: choice.isAnimated)
        let encoded = try encode(finished, plan, among: contenders, with: container)
        try OutputLimit.check(encoded.picture.count)
        clock.endEncode()
        let description = WorkerReply.Output(
            format: .picture(encoded.format),
            width: size.width,
            height: size.height,
            frames: canvas.frames.count,
            hasAlpha: finished.frames[0].hasAlpha,
            length: encoded.picture.count,
            quality: encoded.quality,
            tries: encoded.tries,
            score: encoded.score.map { min(max(Int(($0 * 10).rounded()), 1), 1_000) }
        )
        return Made(description: description, encoded: encoded.picture, timing: clock.timing)
    }

    /// Encodes an image and appends its gain map, unless only the image alone has few enough bytes.
    private func encode(
        _ finished: FinishedPicture,
        _ plan: Plan,
        among formats: [ImageFormat],
        with container: GainMapContainer?
    ) throws -> OutputEncoder.Encoded {
        func encode(leaving bytes: Int) throws -> OutputEncoder.Encoded {
            try OutputEncoder(plan: plan.leaving(bytes), output: output, deadline: deadline)
                .encode(finished, among: formats)
        }
        guard let container else { return try encode(leaving: 0) }
        var encoded: OutputEncoder.Encoded
        do {
            encoded = try encode(leaving: container.added)
        } catch _ as RequestError {
            return try encode(leaving: 0)
        }
        encoded.picture = EncodedPicture(container.joined(to: encoded.picture.copy))
        return encoded
    }

    func chooseFormat(_ plan: Plan, _ size: PixelSize, frames: Int) -> ImageFormat {
        func choice(among encoders: EncoderTable) -> ImageFormat {
            FormatNegotiation.choose(
                plan.settings.format,
                bucket: output.bucket,
                sourceFormat: facts.format,
                hasAlpha: facts.hasAlpha,
                frames: frames,
                plan: plan,
                keepsGainMap: keepsGainMap(plan),
                outputSize: size,
                encoders: encoders
            )
        }
        let chosen = choice(among: encoders)
        guard chosen == .jxl, plan.settings.format == .auto, !JXLCoder.hasRoom(for: size, plan.settings.encoding) else {
            return chosen
        }
        // An AVIF of that size takes too long.
        return choice(among: encoders.without([.jxl, .avif]))
    }

    /// Whether the result keeps the source's gain map, if that can be read.
    func keepsGainMap(_ plan: Plan) -> Bool {
        guard plan.settings.dynamicRange == .keep, encoders[.jpeg] != nil else { return false }
        var header = facts.header
        header.hasGainMap = decoder.gainMap != nil
        return plan.keepsGainMap(of: header)
    }

    /// Returns the formats to try for the smallest result; `format` alone if the request names it.
    private func contenders(_ plan: Plan, _ format: ImageFormat, _ size: PixelSize, isAnimated: Bool) -> [ImageFormat] {
        guard output.search.takesSmallest, plan.settings.format == .auto, !keepsGainMap(plan) else { return [format] }
        return FormatNegotiation.contenders(
            chosen: format,
            bucket: output.bucket,
            demand: EncoderTable.Demand(
                hasAlpha: plan.hasAlpha(source: facts.hasAlpha),
                isAnimated: isAnimated,
                isLossless: plan.settings.encoding.isLossless,
                size: size
            ),
            encoders: encoders
        )
    }

    /// Opens the frames that the output takes.
    func load(
        _ plan: Plan,
        _ steps: [ResolvedStep],
        _ format: ImageFormat,
        _ choice: AnimationChoice
    ) throws -> (Canvas, Animation?) {
        let isAnimated = choice.isAnimated
        let factor = isAnimated ? 1 : decoder.loadFactor(steps, facts, within: limits.bytes)
        let (scale, enlargement) = decoder.drawing(
            for: steps,
            of: facts.orientedSize,
            maximumPixels: min(maximumPixels, max(1, limits.bytes / DecodeBudget.bytesPerPixel))
        )
        let refusal = DecodeBudget.refusal(of: facts.size, loadedSmallerBy: factor, within: limits.bytes)
        if let refusal, !isAnimated, scale == 1 { throw WorkerReply.Failure.refused(refusal) }
        let options = DecodingOptions(
            allFrames: isAnimated,
            part: isAnimated ? plan.settings.animation.selection(of: facts.frames) : nil,
            frame: choice.stillFrame,
            page: plan.settings.animation.page,
            dpi: plan.settings.dpi ?? PlanSetting.standardDPI,
            scale: scale,
            deadline: deadline
        )
        let decoded = isAnimated || takesAnother(plan) ? nil : try shared?.raster(factor)
        let opened = try decoded ?? decoder.open(factor: factor, options)
        let (frames, animation) =
            isAnimated ? try self.frames(of: opened, choice, plan.settings.animation) : ([opened], nil)
        // Where a step lays a colour under the picture, canvases before it must be transparent for that, in JPEG as well.
        let background = plan.background ?? (format == .jpeg && !plan.laysColor ? .white : nil)
        let canvas = Canvas(
            frames: frames,
            size: facts.orientedSize,
            loadFactor: factor,
            enlargement: enlargement,
            orientation: Orientation(exif: facts.orientation),
            opaqueBackground: background.flatMap { $0.isOpaque ? $0 : nil },
            deadline: deadline
        )
        return (canvas, animation)
    }

    private func check(
        _ size: PixelSize,
        _ format: ImageFormat,
        _ traits: EncoderTraits
    ) throws(WorkerReply.Failure) {
        guard max(size.width, size.height) <= traits.longestSide else {
            throw .refused("\(format) cannot hold an image of \(size) pixels")
        }
    }

    /// Runs the steps; after a step whose size depends on pixels, the remaining steps are resolved again.
    func apply(_ steps: [ResolvedStep], of plan: Plan, to canvas: inout Canvas) throws {
        var steps = steps
        for index in plan.steps.indices {
            guard let step = steps[index].step as? any PixelStep else {
                throw WorkerReply.Failure.worker("a step without a pixel operation: \(type(of: steps[index].step))")
            }
            canvas.following = steps[(index + 1)...]
            canvas.auxiliaries = auxiliaries
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

    /// Applies the deferred operations and the background.
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
