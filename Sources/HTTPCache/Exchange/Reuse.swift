/// What of a stored response decides whether it may be reused.
package struct ReuseTerms: Sendable {
    /// Seconds (RFC 9111 §4.2.3).
    package var age: Int64
    /// Seconds until it is stale; not positive once it is.
    package var left: Int64
    /// Whether each use needs validation (`no-cache`).
    package var needsValidation = false
    /// Whether it may not be used stale, whatever the request accepts (RFC 9111 §4.2.4).
    package var forbidsStale: Bool
    /// Seconds for which it may be used stale while the origin is asked.
    package var staleWhileRevalidate: Int64

    /// Creates terms.
    package init(
        age: Int64,
        left: Int64,
        needsValidation: Bool = false,
        forbidsStale: Bool,
        staleWhileRevalidate: Int64
    ) {
        self.age = age
        self.left = left
        self.needsValidation = needsValidation
        self.forbidsStale = forbidsStale
        self.staleWhileRevalidate = staleWhileRevalidate
    }
}

/// Whether a request may be given a stored response (RFC 9111 §4.2.4, §5.2.1; RFC 5861 §3).
package struct Reuse: Sendable {
    package let isFresh: Bool
    package let acceptsFresh: Bool
    package let acceptsStale: Bool
    package let acceptsWhileRevalidating: Bool

    /// Judges a response by its terms and the request's directives.
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
