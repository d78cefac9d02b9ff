package import HTTPSemantics

/// What a request says about stored responses (RFC 9111 §5.2.1).
package struct CacheDemand: Hashable, Sendable {
    /// Only what is stored answers; nothing is asked of the origin.
    package var onlyIfCached = false
    /// Nothing stored answers without the origin's word.
    package var noCache = false
    /// Nothing that comes of the request is kept.
    package var noStore = false
    /// Seconds that an answer's age may have at most.
    package var maxAge: Int64?
    /// Seconds for which an answer must be fresh at least.
    package var minFresh: Int64?
    /// Seconds for which an answer may be stale.
    package var maxStale: Int64?

    /// Whatever the cache finds right.
    package static let none = CacheDemand()

    /// Demands nothing.
    package init() {}

    /// What a request's directives demand.
    ///
    /// - Parameter isTrusted: whether the request may send work to the origin; else `only-if-cached`, which spares it work, is all
    ///   that counts.
    package init(_ control: CacheControl, isTrusted: Bool) {
        onlyIfCached = control.onlyIfCached
        guard isTrusted else { return }
        noCache = control.noCache.isPresent
        noStore = control.noStore
        maxAge = control.maxAge
        minFresh = control.minFresh
        maxStale = control.maxStale
    }

    /// Whether a fresh response may not do: the origin's word is demanded, or a younger or longer fresh response.
    package var isStrict: Bool { noCache || maxAge != nil || minFresh != nil }

    /// Names the flights of such requests, which others must not join; empty for those that demand nothing.
    package var keySuffix: String {
        guard self != .none else { return "" }
        func text(_ seconds: Int64?) -> String { seconds.map { String($0) } ?? "-" }
        return "\n\(onlyIfCached) \(noCache) \(noStore) \(text(maxAge)) \(text(minFresh)) \(text(maxStale))"
    }
}
