import HTTPSemantics

/// A redirect chain is as fresh as its least fresh hop: the key is the first URL, and every hop had its say.
///
/// What decides freshness (`Cache-Control`, `Expires`, `Date`, `Age` and the times) is taken whole from the hop that allows
/// the least; validators and the type stay the last answer's. A hop that says nothing leaves the others their word.
enum ChainFreshness {
    /// The last answer's fields as fresh as the chain.
    static func combine(hops: [OriginFields], last: OriginFields) -> OriginFields {
        var result = last
        var least = allowance(last)
        for hop in hops {
            guard let allowed = allowance(hop), least.map({ allowed < $0 }) ?? true else { continue }
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

    /// What an answer allows a shared cache, comparable; `nil` when it says nothing.
    ///
    /// RFC 9111 §3 and §4.2.1 in their order: what may not be stored, or not be used unasked, lies below all seconds.
    static func allowance(_ fields: OriginFields) -> Int64? {
        let control = CacheControl(fields.cacheControl ?? "")
        if !control.isStorable { return .min }
        if control.requiresValidation { return .min + 1 }
        guard control.sMaxAge ?? control.maxAge != nil || fields.expires != nil else { return nil }
        let freshness = Freshness.compute(
            Freshness.Fields(
                cacheControl: fields.cacheControl,
                expires: fields.expires,
                date: fields.date,
                age: fields.age
            ),
            requestTime: fields.requestTime,
            responseTime: fields.responseTime,
            defaultLifetime: 0
        )
        return freshness.lifetime - freshness.initialAge
    }
}
