import ImagePipeline
import ImagePlan

extension Explainer {
    /// Whether a request whose client accepts JPEG XL gets it; `nil` for other clients.
    func jxlFact(_ request: ExplainedRequest, _ resolved: ResolvedRequest) -> Explanation.Fact? {
        guard resolved.isNegotiated, request.target.bucket.hasJXL else { return nil }
        guard !resolved.isBare else {
            let words = "for a JPEG, without another loss, once it has been made; until then the JPEG"
            return Explanation.Fact("jxl", .string("on"), words: words, .setting(inherited("jxl-originals", request)))
        }
        let isChosen = resolved.variant(for: request.target.bucket).bucket?.hasJXL == true
        let isWritten = request.rule.formats[.jxl].writes
        return Explanation.Fact(
            "jxl",
            .string(isChosen ? "on" : isWritten ? "never" : "off"),
            words: isChosen
                ? request.rule.autoFormat == .smallest ? "if it is the smallest" : "for opaque photographs"
                : isWritten ? "never: WebP, as the result is lossless" : "never: not written",
            .setting(inherited("formats.jxl", request))
        )
    }

    /// When a request whose client accepts AVIF gets it; `nil` for other clients.
    func avifFact(_ request: ExplainedRequest, _ resolved: ResolvedRequest) -> Explanation.Fact? {
        let variant = resolved.variant(for: request.target.bucket)
        guard resolved.isNegotiated, !resolved.isBare, request.target.bucket.hasAVIF else { return nil }
        guard request.rule.avif.isAuto else {
            let other = variant.bucket?.hasJXL == true ? "JPEG XL" : "WebP"
            return fact("off", "never: \(other) instead", "avif.auto", request)
        }
        guard let plan = variant.plan.flatMap({ try? Plan(canonicalText: $0) }),
            !AVIFTiming.isLossless(plan, variant.quality)
        else {
            return fact("never", "never: WebP, as the result is lossless", "avif.auto", request)
        }
        let settings = plan.settings.encoding
        let pixels = EncodingCost.avifPixels(
            within: request.rule.avif.budget,
            effort: settings.effort ?? variant.quality.avifEffort,
            encodes: EncodingCost.usualEncodes(plan.settings)
        )
        let size = "\(pixels / 1_000_000).\(pixels / 100_000 % 10)"
        let words = "at once up to \(size) megapixels, else deferred, with WebP first"
        return fact(String(pixels), words, "avif.budget", request)
    }

    /// What a request may get under overload, in order; `nil` if its source has brown-out off.
    func brownoutFact(_ request: ExplainedRequest, _ resolved: ResolvedRequest) -> Explanation.Fact? {
        let variant = resolved.variant(for: request.target.bucket)
        guard variant.origin.source.brownout.isOn else { return nil }
        let rungs = resolved.isDownload ? [] : rungs(of: variant, request.rule)
        let words =
            resolved.isDownload ? "never: download=1 is saved as a file" : rungs.joined(separator: ", ") + ", else 503"
        return Explanation.Fact(
            "brownout",
            .array(rungs.map { .string($0) }),
            words: words,
            .setting(inherited("brownout", request))
        )
    }

    /// The rungs of a variant; the resolver of explanations serves all originals, so the source's own rule decides about them.
    private func rungs(of variant: VariantRequest, _ rule: SourceRule) -> [String] {
        variant.rungs.filter { $0 != .original || rule.originals == .serve }.map(\.rawValue)
    }

    private func fact(_ value: String, _ words: String, _ key: String, _ request: ExplainedRequest) -> Explanation.Fact
    {
        Explanation.Fact("avif", .string(value), words: words, .setting(inherited(key, request)))
    }
}

extension Explainer {
    /// Describes how an animated original is handled, which is only known from its header.
    static func words(onFramesOf plan: String, _ limits: AnimationLimits) -> String? {
        guard let settings = try? Plan(canonicalText: plan).settings, !settings.format.isMetadata else { return nil }
        if let frame = settings.animation.stillFrame { return "frame \(frame) of an animation" }
        let bounds = "limits.animation (\(limits.pixels) pixels) and limits.frames (\(limits.frames))"
        if settings.isStill {
            let refuses = settings.animation.mode == .keep || settings.isStrict
            return refuses ? "422 for an animation: it would become a still" : "the first frame of an animation"
        }
        let frames = settings.animation.range.map { "frames \($0.lowerBound) to \($0.upperBound)" } ?? "every frame"
        if settings.animation.mode == .keep { return "\(frames) within \(bounds), else 422" }
        return "\(frames) within \(bounds), else \(settings.isStrict ? "422" : "fewer or the first")"
    }
}
