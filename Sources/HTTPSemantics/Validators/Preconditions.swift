/// Decides conditional `GET` and `HEAD` requests (RFC 9110 §13.2.2).
///
/// `If-Match` and `If-Unmodified-Since` are for origin servers (RFC 9110 §13.1.1): for what is made here they are evaluated here
/// with `fail`, before the others; where answers are only passed on, the origin must do so.
package enum Preconditions {
    /// What a conditional request comes to.
    package enum Verdict: Hashable, Sendable {
        /// Answer as if no condition stood there.
        case proceed
        /// Answer 304.
        case notModified
    }

    /// Whether `If-Match`, or without it `If-Unmodified-Since`, does not hold, so that the answer is a 412.
    ///
    /// - Parameters: as those of `evaluate`.
    package static func fail(
        ifMatch: String?,
        ifUnmodifiedSince: String?,
        entityTag: EntityTag?,
        lastModified: Int64?,
        now: Int64
    ) -> Bool {
        if let ifMatch { return !EntityTagList.stronglyMatches(ifMatch.utf8Span.span, current: entityTag) }
        // RFC 9110 §13.1.4: a field that is no date is ignored, as one of which there is nothing to compare with.
        guard let ifUnmodifiedSince, let lastModified, let since = HTTPDate(ifUnmodifiedSince, now: now) else {
            return false
        }
        return lastModified > since.seconds
    }

    /// Evaluates the conditions of a `GET` or `HEAD` whose unconditional answer is a 200.
    ///
    /// - Parameters:
    ///   - ifNoneMatch: the field's value; several fields joined with a comma.
    ///   - ifModifiedSince: the field's value.
    ///   - entityTag: the tag of the representation to be served.
    ///   - lastModified: its date in seconds since 1970.
    ///   - now: seconds since 1970.
    package static func evaluate(
        ifNoneMatch: Span<UInt8>?,
        ifModifiedSince: Span<UInt8>?,
        entityTag: EntityTag?,
        lastModified: Int64?,
        now: Int64
    ) -> Verdict {
        // RFC 9110 §13.1.3: If-Modified-Since is ignored beside If-None-Match, valid or not.
        if let ifNoneMatch {
            return EntityTagList.weaklyMatches(ifNoneMatch, current: entityTag) ? .notModified : .proceed
        }
        // RFC 9110 §13.1.3: a field that is no date is ignored, as one of which there is nothing to compare with.
        guard let ifModifiedSince, let lastModified, let since = HTTPDate(ifModifiedSince, now: now) else {
            return .proceed
        }
        return lastModified <= since.seconds ? .notModified : .proceed
    }

    /// As `evaluate` over spans, for callers that hold text.
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
