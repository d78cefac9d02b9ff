import ImagePlan

/// The selection of an output's frames.
extension OutputMaker {
    /// Chooses the result's format and frames.
    ///
    /// If only one of several frames is chosen, the format is chosen as for a still image.
    /// - Throws: `RequestError` or `WorkerReply.Failure`.
    func chooseFrames(_ plan: Plan, _ size: PixelSize) throws -> (format: ImageFormat, choice: AnimationChoice) {
        let wantsStill = plan.settings.animation.stillFrame != nil
        let format = chooseFormat(plan, size, frames: wantsStill ? 1 : facts.frames)
        guard let traits = encoders[format] else {
            throw WorkerReply.Failure.unsupported("encoding \(format) is not supported")
        }
        let choice = try AnimationChoice.make(
            of: plan,
            header: facts.header,
            format: format,
            traits: traits,
            limits: limits
        )
        guard case .still = choice, facts.frames > 1 else { return (format, choice) }
        return (chooseFormat(plan, size, frames: 1), choice)
    }

    /// Refuses a format that drops transparency if the request is strict.
    ///
    /// - Throws: `RequestError`, 422.
    func checkTransparency(_ plan: Plan, _ format: ImageFormat, _ traits: EncoderTraits) throws(RequestError) {
        guard plan.settings.isStrict, !traits.hasAlpha, plan.hasAlpha(source: facts.hasAlpha) else { return }
        throw RequestError(
            parameter: PlanSetting.strict.name,
            reason: "\(format) cannot store the image's transparency",
            status: .unprocessable
        )
    }

    /// Returns the source's own bytes, without metadata unless the plan keeps it.
    ///
    /// - Throws: `WorkerReply.Failure` or `MetadataCleaner.Stop`.
    func giveOriginal(_ plan: Plan) throws -> Made {
        var clock = StageClock()
        let (header, bytes) = try decoder.original.read(keepsMetadata: plan.settings.metadata == .keep)
        try OutputLimit.check(bytes.count)
        clock.endTransform()
        return Made(
            description: WorkerReply.Output(of: header, length: bytes.count),
            encoded: EncodedPicture(bytes),
            timing: clock.timing
        )
    }

    /// Returns the kept frames of a stack and their times.
    func frames(
        of stack: Raster,
        _ choice: AnimationChoice,
        _ settings: AnimationSettings
    ) throws -> ([Raster], Animation?) {
        // The stack has only the selected frames, but the delays of all.
        let selected = settings.selection(of: facts.frames)
        let all = try Animation.frames(of: stack, height: facts.size.height)
        let kept =
            switch choice {
            case .some(let count): AnimationChoice.frames(keeping: count, of: all.count)
            default: Array(all.indices)
            }
        let animation = Animation(of: stack).part(selected).keeping(kept, of: all.count).played(
            settings,
            count: kept.count
        )
        return (kept.map { all[$0] }, animation)
    }
}

extension OutputMaker {
    /// The encoders that the source's results may use.
    var encoders: EncoderTable { CoderRegistry.encoders.without(unwritten) }
}

extension AnimationChoice {
    /// Whether the result takes more than one frame.
    var isAnimated: Bool {
        switch self {
        case .all, .some: true
        case .still, .original: false
        }
    }

    /// The frame to decode if only one is decoded.
    var stillFrame: Int { if case .still(let frame) = self { frame } else { 0 } }
}

extension SourceDecoder.Facts {
    /// The facts as a sniffed header.
    var header: ImageHeader {
        ImageHeader(
            format: format,
            width: size.width,
            height: size.height,
            frames: frames,
            orientation: orientation,
            hasAlpha: hasAlpha
        )
    }
}
