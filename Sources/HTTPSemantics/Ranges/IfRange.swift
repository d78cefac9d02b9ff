/// Evaluates `If-Range` (RFC 9110 §13.1.5): whether the client's partial representation is still current.
package enum IfRange {
    /// Whether the condition holds; if not, ignore the range and send everything.
    ///
    /// - Parameters:
    ///   - bytes: the field value, an entity tag or a date.
    ///   - entityTag: the entity tag of the representation.
    ///   - lastModified: its last modification, in seconds since 1970.
    ///   - now: the `Date` of the response, in seconds since 1970.
    package static func holds(_ bytes: Span<UInt8>, entityTag: EntityTag?, lastModified: Int64?, now: Int64) -> Bool {
        // RFC 9110 §13.1.5: tags are compared strongly.
        if let tag = EntityTag(bytes) { return entityTag.map(tag.matchesStrongly) ?? false }
        guard let date = HTTPDate(bytes, now: now), let lastModified else { return false }
        // RFC 9110 §8.8.2.2: a date is a strong validator only if it is at least a second before the response's Date.
        return date.seconds == lastModified && lastModified < now
    }

    /// As `holds` over a span, from text.
    package static func holds(_ text: String, entityTag: EntityTag?, lastModified: Int64?, now: Int64) -> Bool {
        holds(text.utf8Span.span, entityTag: entityTag, lastModified: lastModified, now: now)
    }
}
