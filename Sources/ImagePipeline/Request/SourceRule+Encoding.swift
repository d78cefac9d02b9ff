import ImagePlan

extension SourceRule {
    /// How `format=auto` chooses a format.
    package enum AutoFormatPolicy: String, Hashable, Sendable, CaseIterable {
        /// The best format that the client accepts.
        case accept
        /// The format with the smallest result among those that the client accepts.
        case smallest
    }

    /// Whether content of a format is passed on or refused, according to `unsupported`, instead of being decoded.
    func isUnsupported(_ format: ImageFormat) -> Bool { format == .other || !formats[format].reads }

    /// Returns the rule's part of a variant's key besides qualities; empty by default and if the bytes do not depend on it.
    func encodingKeyText(plan: String, bucket: FormatBucket?) -> String {
        let takesSmallest = autoFormat == .smallest && bucket != nil
        var text = takesSmallest ? "\nsmallest" : ""
        if quality.distance != QualityDefaults.standardDistance,
            takesSmallest || Plan.takesConfiguredDistance(canonicalText: plan)
        {
            text += "\ndistance \(quality.distance)"
        }
        // Searches of earlier releases had another measure.
        if takesSmallest || Plan.seeksQuality(canonicalText: plan) { text += "\nscore" }
        if noTransform == .obey { text += "\nno-transform" }
        if unsupported == .pass { text += "\nunsupported" }
        return text
    }
}

/// Controls when `format=auto` chooses AVIF (`avif` in the configuration); not part of the key, as it does not affect the bytes.
package struct AVIFPolicy: Hashable, Sendable {
    /// Whether AVIF is chosen at all; otherwise clients that accept AVIF receive WebP.
    package var isAuto = true
    /// Maximum estimated milliseconds of an encode during a request; longer ones run in the background while clients receive WebP.
    package var budget = 100
    /// Seconds for which clients may cache the WebP that is served until then.
    package var standInLifetime: Int64 = 30

    /// Creates the default policy.
    package init() {}
}
