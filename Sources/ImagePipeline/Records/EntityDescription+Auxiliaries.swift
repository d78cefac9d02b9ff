import HTTPCache
import HTTPSemantics

extension EntityDescription {
    /// Combines the caching metadata of all originals of a variant: the strictest directives and the shortest lifetime.
    ///
    /// `Age` is that of the oldest original (`Entity.age`), so clients never keep the variant longer than any original allows.
    /// `Last-Modified` is removed, because one original's date does not reflect a change of another. Directives that permit stale
    /// use are omitted.
    mutating func restrict(toStrictestOf auxiliaries: [OriginRecord], origin: OriginRecord) {
        guard !auxiliaries.isEmpty else { return }
        lastModified = nil
        let records = [origin] + auxiliaries
        let spoken = records.compactMap(\.downstreamCacheControl).map { CacheControl($0) }
        guard !spoken.isEmpty else {
            advertisedLifetime = records.map(\.advertisedLifetime).min() ?? advertisedLifetime
            return
        }
        var words = CacheControl()
        words.noStore = spoken.contains(where: \.noStore)
        words.private = spoken.contains { $0.private.isPresent } ? .whole : .absent
        words.noCache = spoken.contains { $0.noCache.isPresent } ? .whole : .absent
        words.public = words.private == .absent && !words.noStore && spoken.allSatisfy(\.public)
        words.mustRevalidate = spoken.contains(where: \.mustRevalidate)
        words.proxyRevalidate = spoken.contains(where: \.proxyRevalidate)
        words.noTransform = spoken.contains(where: \.noTransform)
        let lifetime = records.map(\.lifetimeForClients).min() ?? 0
        words.maxAge = lifetime
        words.sMaxAge = spoken.compactMap(\.sMaxAge).min().map { min($0, lifetime) }
        cacheControl = words.text
        advertisedLifetime = lifetime
    }
}

extension OriginRecord {
    /// The lifetime for clients in seconds, from the same start as the age.
    fileprivate var lifetimeForClients: Int64 {
        guard let words = downstreamCacheControl else { return advertisedLifetime }
        return CacheControl(words).maxAge ?? max(0, freshness.lifetime)
    }
}
