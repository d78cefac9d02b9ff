import ImagePlan

/// JPEG originals as JPEG XL without another loss.
extension OutputMaker {
    /// Returns the JPEG as JPEG XL, from which it can be restored, if that is what a plan without other effects asks for.
    ///
    /// - Parameter steps: the plan's steps for this original.
    /// - Returns: `nil` if the pixels have to be encoded.
    /// - Throws: `WorkerReply.Failure` or `MetadataCleaner.Stop`.
    func transcode(_ plan: Plan, _ steps: [ResolvedStep], as format: ImageFormat) throws -> Made? {
        let settings = plan.settings
        guard format == .jxl, facts.format == .jpeg, settings.encoding.isLossless, decoder.isWhole,
            settings.metadata != .copyright, PlanEffect.isNothing(steps)
        else { return nil }
        return try transcode(keepsMetadata: settings.metadata == .keep, atMost: settings.encoding.maximumBytes)
    }

    /// Returns the bare original as JPEG XL.
    ///
    /// - Parameter isClean: whether the metadata is removed first.
    /// - Throws: `WorkerReply.Failure.refused` for an original that is not a JPEG, or has no smaller JPEG XL;
    ///   `MetadataCleaner.Stop`.
    func transcodeOriginal(isClean: Bool) throws -> Made {
        guard facts.format == .jpeg, decoder.isWhole, let made = try transcode(keepsMetadata: !isClean, atMost: nil)
        else { throw WorkerReply.Failure.refused("the original has no smaller JPEG XL") }
        return made
    }

    private func transcode(keepsMetadata: Bool, atMost maximumBytes: Int?) throws -> Made? {
        // Its coefficients are held while it is encoded and while it is restored.
        guard JPEGTranscoder.hasRoom(for: facts.size) else { return nil }
        var clock = StageClock()
        let (_, jpeg) = try decoder.original.read(keepsMetadata: keepsMetadata)
        clock.endTransform()
        guard let encoded = try JPEGTranscoder(deadline: deadline).transcode(jpeg),
            encoded.count <= maximumBytes ?? .max
        else { return nil }
        try OutputLimit.check(encoded.count)
        clock.endEncode()
        let size = facts.orientedSize
        let description = WorkerReply.Output(
            format: .picture(.jxl),
            width: size.width,
            height: size.height,
            frames: 1,
            hasAlpha: false,
            length: encoded.count
        )
        return Made(description: description, encoded: encoded, timing: clock.timing)
    }
}
