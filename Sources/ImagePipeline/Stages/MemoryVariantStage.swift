import HTTPCache

/// Stage 1: variants in memory, answered inside the event loop.
struct MemoryVariantStage: Sendable {
    let memory: MemoryCache<Entity>

    /// The entity when it may be served as it is.
    @inline(__always)
    func fresh(_ key: CacheKey, now: Int64) -> Entity? {
        guard let entity = memory.value(for: key), entity.isCurrent, entity.isFresh(at: now) else { return nil }
        return entity
    }

    /// The entity whatever its freshness: what a revalidation may turn fresh again.
    func stale(_ key: CacheKey) -> Entity? {
        guard let entity = memory.value(for: key) else { return nil }
        guard entity.isCurrent else {
            memory.remove(key)
            return nil
        }
        return entity
    }
}
