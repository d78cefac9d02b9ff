import HTTPCache
package import ImagePlan

/// When the AVIF of a variant of AVIF's bucket is made.
package enum AVIFTiming: Hashable, Sendable {
    /// With the request: it fits the budget, or the bucket is another.
    case atOnce
    /// After the request, which gets WebP.
    case later
    /// Not at all: the bucket's answer is WebP.
    case never

    /// Decides before anything is decoded.
    ///
    /// Animations and what must lose nothing stay WebP, which takes less time for them and is smaller.
    /// - Parameters:
    ///   - plan: the plan's canonical text.
    ///   - outcome: the original.
    init(of request: VariantRequest, plan: String, _ outcome: OriginOutcome, _ parts: PipelineParts) {
        let header = outcome.origin.record.header
        guard request.bucket == .avif else {
            self = .atOnce
            return
        }
        guard let plan = try? Plan(canonicalText: plan), header.frames <= 1,
            !Self.isLossless(plan, request.quality)
        else {
            self = .never
            return
        }
        let source = request.origin.source
        // What is over a limit is refused before it is encoded.
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
        // How large a drawing or a page without a resize comes out only its decoder tells.
        guard cost.encodedPixels > 0 else {
            self = Self.canDefer(request, outcome, parts) ? .later : .never
            return
        }
        let milliseconds = EncodingCost.avifMilliseconds(
            pixels: cost.encodedPixels,
            effort: plan.settings.encoding.effort ?? request.quality.avifEffort,
            isSearched: plan.settings.encoding.maximumBytes != nil
        )
        if milliseconds <= source.avif.budget {
            self = .atOnce
        } else {
            self = Self.canDefer(request, outcome, parts) ? .later : .never
        }
    }

    /// Whether it may be made later: where the result is kept then, of an original that can be had again.
    private static func canDefer(
        _ request: VariantRequest,
        _ outcome: OriginOutcome,
        _ parts: PipelineParts
    ) -> Bool {
        let isOnDisk = parts.disk != nil && request.origin.keeps.originals.keepOnDisk
        // Nobody is asked for other originals while nobody waits.
        guard request.ingredients.isEmpty else { return false }
        return (isOnDisk || request.origin.source.isFolder) && outcome.storable && request.keeps != .none
            && parts.transformer.hasBackground
    }

    /// Whether the answer's WebP would keep every pixel, or nearly.
    package static func isLossless(_ plan: Plan, _ quality: QualityDefaults) -> Bool {
        let settings = plan.settings
        return settings.encoding.isLossless || settings.encoding.nearLossless != nil
            || (quality.webpOptions.lossless && settings.quality == nil)
    }

    /// The bucket that a worker is to answer.
    var bucket: FormatBucket? { self == .atOnce ? nil : .webp }
}
