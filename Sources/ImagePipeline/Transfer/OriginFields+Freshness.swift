import HTTPSemantics

extension OriginFields {
    /// The seconds for which the answer states that a shared cache may use it from its arrival on; `nil` when it says nothing.
    ///
    /// RFC 9111 §3 and §4.2.1 in their order: what may not be stored, or not be used unasked, lies below all seconds.
    var statedAllowance: Int64? {
        let control = CacheControl(cacheControl ?? "")
        if !control.isStorable { return .min }
        if control.requiresValidation { return .min + 1 }
        guard control.sMaxAge ?? control.maxAge != nil || expires != nil else { return nil }
        let freshness = Freshness.compute(
            Freshness.Fields(cacheControl: cacheControl, expires: expires, date: date, age: age),
            requestTime: requestTime,
            responseTime: responseTime,
            defaultLifetime: 0
        )
        return freshness.lifetime - freshness.initialAge
    }
}
