import ImagePlan

/// What a source answers under overload, in place of 503.
package struct BrownoutRule: Hashable, Sendable {
    /// Whether something that is stored is served in place of an image that cannot be made in time.
    package var isOn = false
    /// The maximum bytes of an original that is served in place of its variant.
    package var largestOriginal = 512 << 10

    /// Creates a rule: overload is answered with 503.
    package init() {}
}

/// What is served in place of an image that cannot be made in time; the first that exists is taken.
///
/// All but the placeholder leave out nothing but a resize and an encoder's effort. They are never stored as the requested variant.
package enum BrownoutRung: String, Hashable, Sendable, CaseIterable {
    /// A stale variant of the same key. Overload is an error of this server, which would answer 503, so `stale-if-error` applies
    /// (RFC 5861 §4, RFC 9111 §4.2.4).
    case stale
    /// The nearest larger variant of the same plan.
    case larger
    /// The variant itself, made of a reduced copy of the original with the least effort.
    case fast
    /// The original without its metadata.
    case original
    /// An impression of the original, or its colour.
    case placeholder

    /// The seconds for which clients may keep any of these.
    package static let lifetime: Int64 = 10
}

extension VariantRequest {
    /// The answers that the request may get under overload, in order, as far as the original need not be known; none if its source
    /// has brown-out off.
    package var rungs: [BrownoutRung] {
        let source = origin.source
        guard source.brownout.isOn else { return [] }
        guard let plan = plan.flatMap({ try? Plan(canonicalText: $0) }) else { return [.stale] }
        let plain = PlainResize(plan)
        var rungs = [BrownoutRung.stale]
        if plain != nil { rungs.append(.larger) }
        if source.keepsMezzanines, auxiliaries.isEmpty, PlainResize.fast(plan, for: bucket) != nil {
            rungs.append(.fast)
        }
        if let plain, source.originals == .serve, permitsSomeOriginal(plain) { rungs.append(.original) }
        if !plan.settings.format.isMetadata { rungs.append(.placeholder) }
        return rungs
    }

    /// Whether an original of some format may be served in place of the result.
    private func permitsSomeOriginal(_ plain: PlainResize) -> Bool {
        [ImageFormat.jpeg, .png, .gif, .webp].contains { format in
            let header = ImageHeader(format: format, width: 1, height: 1)
            return plain.permitsOriginal(header, length: 0, for: bucket)
        }
    }

    /// The same request with another plan, as if a client had sent that.
    func with(plan: String) -> VariantRequest {
        VariantRequest(
            origin: origin,
            plan: plan,
            bucket: bucket,
            tiers: tiers,
            outputPixels: outputPixels,
            quality: quality
        )
    }
}
