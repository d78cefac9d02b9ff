/// Whether a stored response may be reused for a request (RFC 9111 §4.2.4, §5.2.1; RFC 5861 §3).
package struct Reuse: Sendable {
    let isFresh: Bool
    package let acceptsFresh: Bool
    package let acceptsStale: Bool
    let acceptsWhileRevalidating: Bool

    /// Evaluates a response's terms against the request's directives.
    package init(of terms: ReuseTerms, _ demand: CacheDemand) {
        isFresh = terms.left > 0
        let mustAsk = demand.noCache || terms.needsValidation
        let isYoung = terms.age <= demand.maxAge ?? .max
        acceptsFresh = isFresh && !mustAsk && isYoung && terms.left >= demand.minFresh ?? 0
        let mayBeStale = !isFresh && !mustAsk && isYoung && demand.minFresh == nil
        acceptsStale = mayBeStale && !terms.forbidsStale && -terms.left <= demand.maxStale ?? -1
        acceptsWhileRevalidating = mayBeStale && demand.maxAge == nil && -terms.left < terms.staleWhileRevalidate
    }
}
