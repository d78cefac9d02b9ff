/// The disk tier as the stages see it (SDWebImage's `SDDiskCache` protocol).
///
/// Look-ups block and belong on the read lane; stores and removals are queued and return at once. Nothing here throws: a disk that
/// fails is a cache that misses.
package protocol DiskStoring: Sendable {
    /// The variant with an open file of its bytes; `nil` when it is not there, or void because its original has changed.
    func variant(_ key: CacheKey) -> StoredVariant?
    /// The original's record, with an open file of its body where that is still kept.
    func origin(_ key: CacheKey) -> StoredOrigin?
    /// Queues a variant, and what is known of the other originals that it was made with.
    func store(variant: VariantRecord, origin: OriginRecord, ingredients: [OriginRecord], bytes: [UInt8])
    /// Queues an original; without a body only what is known of it changes (a 304).
    ///
    /// False when too much waits: it is not stored.
    @discardableResult
    func store(origin: OriginRecord, body: OriginBody?) -> Bool
    /// Hides what a purge removes from readers, or shows it to them as stale; `remove` must follow.
    ///
    /// False when too many wait: nothing has changed.
    func conceal(_ purge: Purge) -> Bool
    /// Does what was concealed, also to whatever of it was queued before; the completion tells that it is done for good.
    ///
    /// False when too much waits: nothing is done, and concealed no longer.
    func remove(_ purge: Purge, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool
    /// Counts a selection; blocks.
    func count(_ selection: PurgeSelection) -> PurgeCounts
    /// Notes that something was used without being read here, so that it stays; any thread, at once.
    func touch(_ diskClass: DiskClass, _ key: CacheKey)
    /// Calls back, on the store's own thread, when everything queued before is committed or given up.
    func flush(_ completion: @escaping @Sendable () -> Void)
}

extension DiskStoring {
    /// Queues a variant that was made of one original alone.
    package func store(variant: VariantRecord, origin: OriginRecord, bytes: [UInt8]) {
        store(variant: variant, origin: origin, ingredients: [], bytes: bytes)
    }

    /// Hides a selection from readers; `remove` must follow.
    ///
    /// False when too many purges wait.
    package func conceal(_ selection: PurgeSelection) -> Bool { conceal(Purge(selection)) }

    /// Removes what is hidden, together with whatever of it was queued before.
    ///
    /// False when too much waits.
    package func remove(_ selection: PurgeSelection, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool {
        remove(Purge(selection), completion: completion)
    }
}
