import HTTPCache
package import ImagePlan

/// Decides when the AVIF of a variant in a bucket with AVIF is made.
package enum AVIFTiming: Hashable, Sendable {
    /// During the request: it fits the budget, or the variant has another format.
    case atOnce
    /// After the request, which receives WebP.
    case later
    /// Never: the variant has another format that the client accepts.
    case never

    /// Decides by the original's header, before decoding.
    ///
    /// Animations and lossless images stay WebP, which is faster and smaller for them. Photographs are JPEG XL for clients that
    /// accept it, unless that takes too long.
    ///
    /// - Parameters:
    ///   - plan: the plan's canonical text.
    ///   - outcome: the original.
    init(of request: VariantRequest, plan: String, _ outcome: OriginOutcome, _ parts: PipelineParts) {
        let header = outcome.origin.record.header
        guard let bucket = request.bucket, bucket > .webp else {
            self = .atOnce
            return
        }
        guard let plan = try? Plan(canonicalText: plan), header.frames <= 1,
            !Self.isLossless(plan, request.quality)
        else {
            self = .never
            return
        }
        // The result is a JPEG.
        guard !plan.keepsGainMap(of: header) || request.origin.source.formats.unwritten.contains(.jpeg) else {
            self = .atOnce
            return
        }
        let source = request.origin.source
        let hasAlpha = plan.hasAlpha(source: header.hasAlpha ?? false)
        if bucket.hasJXL, !request.encodingSearch.takesSmallest,
            !bucket.hasAVIF || FormatNegotiation.prefersJXL(header.format, hasAlpha: hasAlpha)
        {
            self = Self.isAffordable(plan, header, request) ? .atOnce : .never
            return
        }
        guard bucket.hasAVIF else {
            self = .atOnce
            return
        }
        // A request over a limit is refused before encoding.
        guard
            let cost = try? CostEstimate(
                of: plan,
                header: header,
                format: .avif,
                maximumPixels: source.limits.pixels
            )
        else {
            self = .atOnce
            return
        }
        // Only the decoder knows the size of a vector image without a resize.
        guard cost.encodedPixels > 0 else {
            self = Self.canDefer(request, outcome, parts) ? .later : .never
            return
        }
        let milliseconds = EncodingCost.avifMilliseconds(
            pixels: cost.encodedPixels,
            effort: plan.settings.encoding.effort ?? request.quality.avifEffort,
            encodes: EncodingCost.usualEncodes(plan.settings)
        )
        if milliseconds <= source.avif.budget {
            self = .atOnce
        } else {
            self = Self.canDefer(request, outcome, parts) ? .later : .never
        }
    }

    /// Whether a JPEG XL is expected within half of the time that a transform may take; it is never made later.
    private static func isAffordable(_ plan: Plan, _ header: ImageHeader, _ request: VariantRequest) -> Bool {
        let source = request.origin.source
        let cost = try? CostEstimate(of: plan, header: header, format: .jxl, maximumPixels: source.limits.pixels)
        let milliseconds = EncodingCost.milliseconds(
            of: plan.settings,
            pixels: cost?.encodedPixels ?? 0,
            bucket: .jxl,
            quality: request.quality
        )
        return milliseconds <= source.timeouts.transform / 2
    }

    /// Whether the AVIF may be made later: the result is stored, and the original is still available then.
    private static func canDefer(
        _ request: VariantRequest,
        _ outcome: OriginOutcome,
        _ parts: PipelineParts
    ) -> Bool {
        let isOnDisk = parts.disk != nil && request.origin.keeps.originals.keepOnDisk
        // Background work does not fetch auxiliary images.
        guard request.auxiliaries.isEmpty else { return false }
        return (isOnDisk || request.origin.source.isFolder) && outcome.storable && request.keeps != .none
            && parts.transformer.hasBackground
    }

    /// Whether the WebP is lossless or near-lossless.
    package static func isLossless(_ plan: Plan, _ quality: QualityDefaults) -> Bool {
        let settings = plan.settings
        return settings.encoding.isLossless || settings.encoding.nearLossless != nil
            || (quality.webpOptions.lossless && settings.quality.number(for: .webp) == nil)
    }

    /// The bucket of the worker's job; `nil` for the request's own.
    func bucket(for request: VariantRequest) -> FormatBucket? {
        switch self {
        case .atOnce: nil
        case .later: .webp
        // A JPEG XL may be the smallest, also losslessly.
        case .never: request.encodingSearch.takesSmallest ? request.bucket?.withoutAVIF : .webp
        }
    }
}
