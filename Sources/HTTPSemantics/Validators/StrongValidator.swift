/// A validator that changes with every change of a representation's bytes (RFC 9110 §8.8.1).
///
/// Parts of a representation may be combined only if they have the same one (RFC 9111 §3.4).
package enum StrongValidator: Hashable, Sendable {
    case entityTag(EntityTag)
    /// The value of `Last-Modified`, in seconds since 1970.
    case lastModified(Int64)

    /// The seconds by which `Last-Modified` must precede `Date` to be strong (RFC 9110 §8.8.2.2).
    ///
    /// RFC 9110 asks for one second, or for a difference that makes differing clocks unlikely.
    private static let lastModifiedMargin: Int64 = 60

    /// The strong validator in a response's fields; `nil` if there is none.
    ///
    /// A weak entity tag rules out the date as well, since `If-Range` allows a date only without a tag (RFC 9110 §13.1.5).
    ///
    /// - Parameter now: when the response was received, in seconds since 1970.
    package init?(_ fields: FieldLines, now: Int64) {
        if let text = fields["etag"] {
            guard let tag = EntityTag(text), !tag.isWeak else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let date = fields["date"].flatMap({ HTTPDate($0, now: now) })?.seconds,
            let modified = fields["last-modified"].flatMap({ HTTPDate($0, now: now) })?.seconds,
            modified <= date - Self.lastModifiedMargin
        else { return nil }
        self = .lastModified(modified)
    }

    /// Whether this is an entity tag rather than a date.
    package var isEntityTag: Bool { if case .entityTag = self { true } else { false } }

    /// Whether the value of an `If-Range` field names this validator.
    package func isNamed(by ifRange: String, now: Int64) -> Bool {
        switch self {
        case .entityTag(let tag): EntityTag(ifRange)?.matchesStrongly(tag) ?? false
        case .lastModified(let seconds): HTTPDate(ifRange, now: now)?.seconds == seconds
        }
    }
}
