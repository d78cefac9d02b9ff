/// The properties of a stored response that decide whether it may be reused.
package struct ReuseTerms: Sendable {
    /// The current age in seconds (RFC 9111 §4.2.3).
    var age: Int64
    /// The remaining lifetime in seconds; zero or negative if stale.
    var left: Int64
    /// Whether each use requires validation (`no-cache`).
    var needsValidation = false
    /// Whether stale use is forbidden even if the request accepts it (RFC 9111 §4.2.4).
    var forbidsStale: Bool
    /// Seconds after expiry during which it may be served stale while it is revalidated.
    var staleWhileRevalidate: Int64

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
