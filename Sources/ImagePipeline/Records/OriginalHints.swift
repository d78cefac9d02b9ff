import HTTPCache
package import ImagePlan

/// What answers tell of an original beside its pictures (`placeholder: headers`).
package struct OriginalHints: Hashable, Sendable {
    /// Upright, in pixels; `nil` where the header does not tell.
    package var size: PixelSize?
    /// `nil` until it has been computed.
    package var placeholder: Placeholder?

    /// What is known of an original by now; `nil` for a source that does not ask for it.
    init?(_ record: OriginRecord, for source: SourceRule) {
        guard source.placeholder == .headers else { return nil }
        let oriented = record.header.orientedSize
        size = oriented.width > 0 && oriented.height > 0 ? oriented : nil
        placeholder = record.placeholder
    }
}

extension SourceRule {
    /// What of a picture is told beside it.
    package enum PlaceholderPolicy: String, Hashable, Sendable, CaseIterable {
        case none
        /// In header fields of each answer.
        case headers
    }
}
