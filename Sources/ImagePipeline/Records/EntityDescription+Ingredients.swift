import HTTPCache
import HTTPSemantics

extension EntityDescription {
    /// Says of a picture that is made of several originals what is true of all of them: the strictest words and the shortest lifetime.
    ///
    /// With the age of the oldest (`Entity.age`) no client keeps it for longer than any of them. There is no `Last-Modified`: that of
    /// one original says nothing of another that has taken its ingredient's place. What allows stale use is left out.
    mutating func restrict(toStrictestOf ingredients: [OriginRecord], origin: OriginRecord) {
        guard !ingredients.isEmpty else { return }
        lastModified = nil
        let records = [origin] + ingredients
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
    /// Seconds for which clients may keep it, counted as its age is.
    fileprivate var lifetimeForClients: Int64 {
        guard let words = downstreamCacheControl else { return advertisedLifetime }
        return CacheControl(words).maxAge ?? max(0, freshness.lifetime)
    }
}
