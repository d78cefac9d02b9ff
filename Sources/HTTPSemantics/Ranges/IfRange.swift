/// Decides whether a `Range` still means the representation that the client has a part of (RFC 9110 §13.1.5).
package enum IfRange {
    /// Whether the condition holds; where it does not, the range is ignored and the whole is sent.
    ///
    /// - Parameters:
    ///   - bytes: the field's value, one entity tag or a date.
    ///   - entityTag: the tag of the representation to be served.
    ///   - lastModified: its date in seconds since 1970.
    ///   - now: seconds since 1970, the `Date` of the answer.
    package static func holds(_ bytes: Span<UInt8>, entityTag: EntityTag?, lastModified: Int64?, now: Int64) -> Bool {
        // RFC 9110 §13.1.5: tags are compared strongly.
        if let tag = EntityTag(bytes) { return entityTag.map(tag.matchesStrongly) ?? false }
        guard let date = HTTPDate(bytes, now: now), let lastModified else { return false }
        // RFC 9110 §8.8.2.2: a date is a strong validator only when it lies at least a second before the answer's.
        return date.seconds == lastModified && lastModified < now
    }

    /// As `holds` over a span, from text.
    package static func holds(_ text: String, entityTag: EntityTag?, lastModified: Int64?, now: Int64) -> Bool {
        holds(text.utf8Span.span, entityTag: entityTag, lastModified: lastModified, now: now)
    }
}
