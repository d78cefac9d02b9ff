extension Freshness {
    /// Computes the freshness of a response for a shared cache (RFC 9111 §4.2).
    ///
    /// - Parameters:
    ///   - control: the directives that count: those of `CDN-Cache-Control` if it is valid (RFC 9213).
    ///   - expires: the value of `Expires`; `nil` if a targeted field overrides it.
    ///   - date: the value of `Date`.
    ///   - age: the value of `Age`; several are joined by commas.
    ///   - requestTime: when the request was sent, in seconds since 1970.
    ///   - responseTime: when the head of the response arrived, in seconds since 1970.
    ///   - defaultLifetime: the lifetime in seconds if the response states none.
    ///   - minimum: a lower limit in seconds for stated lifetimes; not applied to `no-cache`, which requires validation of every
    ///     use.
    ///   - maximum: an upper limit in seconds for all lifetimes.
    package static func compute(
        control: CacheControl,
        expires: String?,
        date: String?,
        age: String?,
        requestTime: Int64,
        responseTime: Int64,
        defaultLifetime: Int64,
        minimum: Int64 = 0,
        maximum: Int64 = .max
    ) -> Freshness {
        // RFC 9110 §6.6.1: without a valid Date, use the time of receipt.
        let date = date.flatMap { HTTPDate($0, now: responseTime) }?.seconds ?? responseTime
        return Freshness(
            responseTime: responseTime,
            initialAge: initialAge(age, date: date, requestTime: requestTime, responseTime: responseTime),
            lifetime: min(maximum, lifetime(control, expires, date, responseTime, defaultLifetime, minimum))
        )
    }

    /// `corrected_initial_age` (RFC 9111 §4.2.3).
    private static func initialAge(_ age: String?, date: Int64, requestTime: Int64, responseTime: Int64) -> Int64 {
        let apparent = max(0, responseTime - date)
        let corrected = (age.flatMap { seconds(ofAge: $0.utf8Span.span) } ?? 0) + max(0, responseTime - requestTime)
        return max(apparent, corrected)
    }

    /// `freshness_lifetime` (RFC 9111 §4.2.1), in the order for shared caches.
    private static func lifetime(
        _ control: CacheControl,
        _ expires: String?,
        _ date: Int64,
        _ responseTime: Int64,
        _ defaultLifetime: Int64,
        _ minimum: Int64
    ) -> Int64 {
        if control.requiresValidation { return 0 }
        if let stated = control.sMaxAge ?? control.maxAge { return max(minimum, stated) }
        guard let expires else { return defaultLifetime }
        // RFC 9111 §5.3: an invalid date, notably "0", counts as already expired.
        guard let moment = HTTPDate(expires, now: responseTime) else { return max(minimum, 0) }
        return max(minimum, moment.seconds - date, 0)
    }

    /// The value of `Age`: the first of several, ignored if invalid (RFC 9111 §5.1).
    private static func seconds(ofAge bytes: Span<UInt8>) -> Int64? {
        var end = 0
        FieldSyntax.skipToComma(bytes, &end)
        while end > 0, FieldSyntax.isWhitespace(bytes[end - 1]) { end -= 1 }
        return FieldSyntax.number(bytes, 0..<end, ceiling: CacheControl.ceiling)
    }
}
