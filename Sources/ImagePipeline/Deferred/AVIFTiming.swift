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
    ///   - header: what the original says of itself.
    ///   - canDefer: whether something can be made after the request.
    init(of request: VariantRequest, plan: String, header: ImageHeader, canDefer: Bool) {
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
        let milliseconds = EncodingCost.avifMilliseconds(
            pixels: cost.encodedPixels,
            effort: plan.settings.encoding.effort ?? request.quality.avifEffort,
            isSearched: plan.settings.encoding.maximumBytes != nil
        )
        self = milliseconds <= source.avif.budget ? .atOnce : canDefer ? .later : .never
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
