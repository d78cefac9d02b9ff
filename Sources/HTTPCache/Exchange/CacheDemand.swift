package import HTTPSemantics

/// A request's cache directives (RFC 9111 §5.2.1).
package struct CacheDemand: Hashable, Sendable {
    /// Whether only a stored response may be used, without contacting the origin.
    package var onlyIfCached = false
    /// Whether stored responses require validation.
    package var noCache = false
    /// Whether nothing from the request may be stored.
    package var noStore = false
    /// Maximum age of a response in seconds.
    package var maxAge: Int64?
    /// Minimum seconds for which a response must stay fresh.
    var minFresh: Int64?
    /// Maximum seconds for which a response may have been stale.
    var maxStale: Int64?

    /// Whether remembered failures are ignored, those of an origin in trouble included (SDWebImage: `RetryFailed`).
    ///
    /// Fresh stored responses are accepted. Only callers that may cause load on the origin may set it.
    package var retryFailed = false

    /// No directives.
    package static let none = CacheDemand()

    /// Creates a demand without directives.
    package init() {}

    /// Creates a demand from a request's directives.
    ///
    /// - Parameter isTrusted: whether the request may cause load on the origin; otherwise only `only-if-cached` applies, which
    ///   never does.
    package init(_ control: CacheControl, isTrusted: Bool) {
        onlyIfCached = control.onlyIfCached
        guard isTrusted else { return }
        noCache = control.noCache.isPresent
        noStore = control.noStore
        maxAge = control.maxAge
        minFresh = control.minFresh
        maxStale = control.maxStale
    }

    /// Whether a fresh response may be unacceptable, because of `no-cache`, `max-age` or `min-fresh`.
    package var isStrict: Bool { noCache || maxAge != nil || minFresh != nil }

    /// A suffix for flight keys, so that only requests with equal directives share a flight; empty without directives.
    package var keySuffix: String {
        guard self != .none else { return "" }
        func text(_ seconds: Int64?) -> String { seconds.map { String($0) } ?? "-" }
        let limits = "\(text(maxAge)) \(text(minFresh)) \(text(maxStale))"
        return "\n\(onlyIfCached) \(noCache) \(noStore) \(limits)" + (retryFailed ? " retry" : "")
    }
}
