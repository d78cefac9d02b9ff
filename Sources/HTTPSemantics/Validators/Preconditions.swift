/// Evaluates the conditions of `GET` and `HEAD` requests (RFC 9110 §13.2.2).
///
/// `If-Match` and `If-Unmodified-Since` are for origin servers (RFC 9110 §13.1.1). For content generated here, evaluate them
/// first, with `fail`; for forwarded responses, the origin does.
package enum Preconditions {
    /// The result of evaluating a conditional request.
    package enum Verdict: Hashable, Sendable {
        /// Respond as if there were no condition.
        case proceed
        /// Respond 304.
        case notModified
    }

    /// Whether `If-Match` or, without it, `If-Unmodified-Since` fails, so that the response is a 412.
    ///
    /// - Parameters: as for `evaluate`.
    package static func fail(
        ifMatch: String?,
        ifUnmodifiedSince: String?,
        entityTag: EntityTag?,
        lastModified: Int64?,
        now: Int64
    ) -> Bool {
        if let ifMatch { return !EntityTagList.stronglyMatches(ifMatch.utf8Span.span, current: entityTag) }
        // RFC 9110 §13.1.4: ignore an invalid date, or one with nothing to compare to.
        guard let ifUnmodifiedSince, let lastModified, let since = HTTPDate(ifUnmodifiedSince, now: now) else {
            return false
        }
        return lastModified > since.seconds
    }

    /// Evaluates `If-None-Match` and `If-Modified-Since` for a request whose unconditional response is a 200.
    ///
    /// - Parameters:
    ///   - ifNoneMatch: the field value, with several fields joined by commas.
    ///   - ifModifiedSince: the field value.
    ///   - entityTag: the entity tag of the representation.
    ///   - lastModified: its last modification, in seconds since 1970.
    ///   - now: seconds since 1970.
    package static func evaluate(
        ifNoneMatch: Span<UInt8>?,
        ifModifiedSince: Span<UInt8>?,
        entityTag: EntityTag?,
        lastModified: Int64?,
        now: Int64
    ) -> Verdict {
        // RFC 9110 §13.1.3: ignore If-Modified-Since next to If-None-Match, even an invalid one.
        if let ifNoneMatch {
            return EntityTagList.weaklyMatches(ifNoneMatch, current: entityTag) ? .notModified : .proceed
        }
        // RFC 9110 §13.1.3: ignore an invalid date, or one with nothing to compare to.
        guard let ifModifiedSince, let lastModified, let since = HTTPDate(ifModifiedSince, now: now) else {
            return .proceed
        }
        return lastModified <= since.seconds ? .notModified : .proceed
    }

    /// As `evaluate` with spans, from text.
    package static func evaluate(
        ifNoneMatch: String?,
        ifModifiedSince: String?,
        entityTag: EntityTag?,
        lastModified: Int64?,
        now: Int64
    ) -> Verdict {
        if let ifNoneMatch {
            return evaluate(
                ifNoneMatch: ifNoneMatch.utf8Span.span,
                ifModifiedSince: nil,
                entityTag: entityTag,
                lastModified: lastModified,
                now: now
            )
        }
        guard let ifModifiedSince else { return .proceed }
        return evaluate(
            ifNoneMatch: nil,
            ifModifiedSince: ifModifiedSince.utf8Span.span,
            entityTag: entityTag,
            lastModified: lastModified,
            now: now
        )
    }
}
