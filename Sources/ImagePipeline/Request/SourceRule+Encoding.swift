import ImagePlan

extension SourceRule {
    /// How `format=auto` is answered.
    package enum AutoFormatPolicy: String, Hashable, Sendable, CaseIterable {
        /// By what the client accepts, the best format first.
        case accept
        /// By what comes out smallest of what the client shows.
        case smallest
    }

    /// What a variant's key says of this rule beside the qualities: nothing where the bytes do not depend on it, or by default.
    func encodingKeyText(plan: String, bucket: FormatBucket?) -> String {
        let takesSmallest = autoFormat == .smallest && bucket != nil
        var text = takesSmallest ? "\nsmallest" : ""
        if quality.distance != QualityDefaults.standardDistance,
            takesSmallest || Plan.seeksQuality(canonicalText: plan)
        {
            text += "\ndistance \(quality.distance)"
        }
        if noTransform == .obey { text += "\nno-transform" }
        return text
    }
}
