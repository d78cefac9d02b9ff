import HTTPSemantics

/// The freshness of a redirect chain: that of its least fresh hop, since the first URL is the key.
///
/// The fields that decide freshness (`Cache-Control`, `Expires`, `Date`, `Age` and the times) are taken together from the
/// hop that allows the least; validators and type are the last response's. A hop without such fields is ignored.
enum ChainFreshness {
    /// The last response's fields with the chain's freshness.
    static func combine(hops: [OriginFields], last: OriginFields) -> OriginFields {
        var result = last
        var least = last.statedAllowance
        for hop in hops {
            guard let allowed = hop.statedAllowance, least.map({ allowed < $0 }) ?? true else { continue }
            least = allowed
            result.cacheControl = hop.cacheControl
            result.expires = hop.expires
            result.date = hop.date
            result.age = hop.age
            result.requestTime = hop.requestTime
            result.responseTime = hop.responseTime
        }
        return result
    }
}

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
