/// A redirect chain is as fresh as its least fresh hop: the key is the first URL, and every hop had its say.
///
/// What decides freshness (`Cache-Control`, `Expires`, `Date`, `Age` and the times) is taken whole from the hop that allows
/// the least; validators and the type stay the last answer's. A hop that says nothing leaves the others their word.
enum ChainFreshness {
    /// The last answer's fields as fresh as the chain.
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
