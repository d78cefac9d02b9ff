import HTTPCache
package import ImagePlan

/// The properties of an original that responses report in header fields (`placeholder: headers`).
package struct OriginalHints: Hashable, Sendable {
    /// The size in pixels after applying the orientation; `nil` if the image's header does not state it.
    package var size: PixelSize?
    /// The placeholder; `nil` until computed.
    package var placeholder: Placeholder?

    /// Creates hints.
    init(size: PixelSize?, placeholder: Placeholder?) {
        self.size = size
        self.placeholder = placeholder
    }

    /// Creates hints from a record; `nil` unless the source enables them.
    init?(_ record: OriginRecord, for source: SourceRule) {
        guard source.placeholder == .headers else { return nil }
        let oriented = record.header.orientedSize
        size = oriented.width > 0 && oriented.height > 0 ? oriented : nil
        placeholder = record.placeholder
    }
}

extension SourceRule {
    /// Where responses carry an original's size and placeholder.
    package enum PlaceholderPolicy: String, Hashable, Sendable, CaseIterable {
        case none
        /// In header fields of each response.
        case headers
    }
}
