extension Freshness {
    /// The header fields of a response that tell how fresh it is: raw values, several fields of one name joined with a comma.
    package struct Fields: Hashable, Sendable {
        package var cacheControl: String?
        package var expires: String?
        package var date: String?
        package var age: String?
        /// `CDN-Cache-Control` (RFC 9213): where it is sound, `cacheControl` and `expires` do not count.
        package var targeted: String?

        /// Creates fields; `nil` where the response has none.
        package init(
            cacheControl: String? = nil,
            expires: String? = nil,
            date: String? = nil,
            age: String? = nil,
            targeted: String? = nil
        ) {
            self.cacheControl = cacheControl
            self.expires = expires
            self.date = date
            self.age = age
            self.targeted = targeted
        }
    }

    /// How fresh a response is to a shared cache (RFC 9111 §4.2).
    ///
    /// - Parameters:
    ///   - fields: what the response says.
    ///   - requestTime: seconds since 1970 when the request was sent.
    ///   - responseTime: seconds since 1970 when the response's head came.
    ///   - defaultLifetime: seconds, where the response says nothing.
    ///   - minimum: seconds below which no lifetime that the response states lies; not applied to `no-cache`, which asks for
    ///     validation of each use.
    ///   - maximum: seconds above which no lifetime lies.
    package static func compute(
        _ fields: Fields,
        requestTime: Int64,
        responseTime: Int64,
        defaultLifetime: Int64,
        minimum: Int64 = 0,
        maximum: Int64 = .max
    ) -> Freshness {
        let targeted = fields.targeted.flatMap { CacheControl(targeted: $0) }
        return compute(
            control: targeted ?? fields.cacheControl.map { CacheControl($0) } ?? CacheControl(),
            expires: targeted == nil ? fields.expires : nil,
            date: fields.date,
            age: fields.age,
            requestTime: requestTime,
            responseTime: responseTime,
            defaultLifetime: defaultLifetime,
            minimum: minimum,
            maximum: maximum
        )
    }

    /// As above, of directives that have been read: those of the field that counts.
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
        // RFC 9110 §6.6.1: without a (valid) Date, the time of receipt is it.
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

    /// `freshness_lifetime` (RFC 9111 §4.2.1), in its order for shared caches.
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
        // RFC 9111 §5.3: a date that is none, "0" above all, lies in the past.
        guard let moment = HTTPDate(expires, now: responseTime) else { return max(minimum, 0) }
        return max(minimum, moment.seconds - date, 0)
    }

    /// The value of `Age`: the first of several, and ignored where it is no number (RFC 9111 §5.1).
    private static func seconds(ofAge bytes: Span<UInt8>) -> Int64? {
        var end = 0
        FieldSyntax.skipToComma(bytes, &end)
        while end > 0, FieldSyntax.isWhitespace(bytes[end - 1]) { end -= 1 }
        return FieldSyntax.number(bytes, 0..<end, ceiling: CacheControl.ceiling)
    }
}
