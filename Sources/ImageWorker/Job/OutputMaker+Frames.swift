import ImagePlan

/// What of an animation an output gets, and how.
extension OutputMaker {
    /// The result's format, and the frames that it gets.
    ///
    /// Where it gets one of several, the format is chosen as for a still.
    /// - Throws: `RequestError` or `WorkerReply.Failure`.
    func chooseFrames(_ plan: Plan, _ size: PixelSize) throws -> (format: ImageFormat, choice: AnimationChoice) {
        let wantsStill = plan.settings.animation.stillFrame != nil
        let format = chooseFormat(plan, size, frames: wantsStill ? 1 : facts.frames)
        guard let traits = CoderRegistry.encoders[format] else {
            throw WorkerReply.Failure.unsupported("\(format) is not encoded here")
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

    /// Refuses a format that would drop transparency, where the request wants that.
    ///
    /// - Throws: `RequestError`, 422.
    func checkTransparency(_ plan: Plan, _ format: ImageFormat, _ traits: EncoderTraits) throws(RequestError) {
        guard plan.settings.isStrict, !traits.hasAlpha, plan.hasAlpha(source: facts.hasAlpha) else { return }
        throw RequestError(
            parameter: PlanSetting.strict.name,
            reason: "\(format) has no transparency, and the picture has",
            status: .unprocessable
        )
    }

    /// The source itself, without metadata unless that is to stay.
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

    /// The frames of an opened stack that are kept, and their times.
    func frames(
        of stack: Raster,
        _ choice: AnimationChoice,
        _ settings: AnimationSettings
    ) throws -> ([Raster], Animation?) {
        let all = try Animation.frames(of: stack, height: facts.size.height)
        let kept =
            switch choice {
            case .some(let count): AnimationChoice.frames(keeping: count, of: all.count)
            default: Array(all.indices)
            }
        let animation = Animation(of: stack).keeping(kept, of: all.count).played(settings, count: kept.count)
        return (kept.map { all[$0] }, animation)
    }
}

extension AnimationChoice {
    /// Whether more frames than one are decoded for the result.
    var isAnimated: Bool {
        switch self {
        case .all, .some: true
        case .still, .original: false
        }
    }

    /// The frame that is decoded alone.
    var stillFrame: Int { if case .still(let frame) = self { frame } else { 0 } }
}

extension SourceDecoder.Facts {
    /// The same in the sniffer's words.
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
