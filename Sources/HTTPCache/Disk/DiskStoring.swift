/// The disk tier's interface for the stages (SDWebImage: `SDDiskCache`).
///
/// Look-ups block and run on the read lane; stores and removals are queued and return immediately. Nothing throws: disk failures
/// are cache misses.
package protocol DiskStoring: Sendable {
    /// Returns a variant with an open file of its bytes; `nil` if there is none or its original has changed.
    func variant(_ key: CacheKey) -> StoredVariant?
    /// Returns a variant with a resolved key, which another request may have stored; `nil` if there is none.
    ///
    /// - Parameter subject: what purges match the request against: results that a pending purge of it removes are not returned.
    func variant(resolved key: CacheKey, for subject: PurgeSubject) -> StoredVariant?
    /// Returns the path of a variant's file relative to the cache folder if the file is there and bare (`Configuration.bareFrom`),
    /// so that another program can send it whole; does not count as a use.
    ///
    /// A path never means other bytes; it is gone once the entry is evicted.
    func barePath(ofVariant key: CacheKey, digest: CacheKey, length: Int) -> String?
    /// Returns an original's record, with an open file of its body if that is stored.
    func origin(_ key: CacheKey) -> StoredOrigin?
    /// Returns the records of a variant and its original without recording a use; opens only files of a seed.
    func peek(variant key: CacheKey) -> (record: VariantRecord, origin: OriginRecord)?
    /// Returns the labels (`VariantRecord.plan`) of an original's current variants, the newest first, up to a number; opens no file
    /// and records no use.
    ///
    /// A variant may have been removed by a purge that is in progress; `variant` tells.
    func labels(ofVariantsOf key: CacheKey, limit: Int) -> [String]
    /// Returns an original's record and whether its body is stored, without recording a use; opens only files of a seed.
    func peek(origin key: CacheKey) -> (record: OriginRecord, hasBody: Bool)?
    /// Queues a variant and the records of its auxiliary images.
    ///
    /// - Returns: false when the queue is full; the variant is not stored.
    @discardableResult
    func store(variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord], bytes: [UInt8]) -> Bool
    /// Queues a variant whose bytes are stored already, under another key; it is dropped if they are not.
    ///
    /// - Returns: false when the queue is full; the variant is not stored.
    @discardableResult
    func store(sharing variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord]) -> Bool
    /// Queues an original; without a body only its record changes (a 304).
    ///
    /// - Returns: false when the queue is full; the original is not stored.
    @discardableResult
    func store(origin: OriginRecord, body: OriginBody?) -> Bool
    /// Queues the removal of an original's body, whose record and variants stay; of no effect if the body has another digest by then.
    func dropBody(ofOrigin key: CacheKey, digest: CacheKey)
    /// Queues the removal of a variant; of no effect if it has another digest by then.
    func drop(variant key: CacheKey, digest: CacheKey)
    /// Queues the removal of a variant whose file has turned out to be damaged, and counts that; of no effect if it has another digest by
    /// then.
    func discardDamaged(variant key: CacheKey, digest: CacheKey)
    /// Hides the entries that a purge selects from readers, or marks them as stale for a soft purge; `remove` must follow.
    ///
    /// - Returns: false when too many purges are waiting; nothing has changed.
    func tombstone(_ purge: Purge) -> Bool
    /// Carries out a purge after `tombstone`, including entries queued before this call.
    ///
    /// - Parameters:
    ///   - place: the purge's place in the log of a cluster, which becomes durable with the removal, in the order of the calls.
    ///     Originals that were requested after the purge are kept.
    ///   - completion: called when the removal is durable.
    /// - Returns: false when the queue is full; nothing is removed or hidden any longer.
    func remove(_ purge: Purge, at place: PurgePlace?, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool
    /// Replaces the position in the log after purges were missed; it is durable before anything that is stored after this call.
    func setPosition(_ position: PurgePosition)
    /// Counts the selected entries; blocks.
    func count(_ selection: PurgeSelection) -> PurgeCounts
    /// Records a use of an entry that was not read from disk, for eviction; any thread, returns immediately.
    func touch(_ diskClass: DiskClass, _ key: CacheKey)
    /// Calls back on the store's thread when everything queued before is committed or dropped.
    func flush(_ completion: @escaping @Sendable () -> Void)
    /// Calls an observer on the store's thread after files were deleted, since their space is free only once nobody has them open.
    ///
    /// There is one observer; a later one replaces it.
    func observeDeletions(_ observer: @escaping @Sendable (DeletedFiles) -> Void)
}

/// Files that a disk store has deleted.
package enum DeletedFiles: Hashable, Sendable {
    /// The files of variants.
    case variants([CacheKey])
    /// Any files: space is short, and evicting entries has freed none.
    case any
}

extension DiskStoring {
    /// Has no bare files.
    package func barePath(ofVariant key: CacheKey, digest: CacheKey, length: Int) -> String? { nil }

    /// Knows no labels.
    package func labels(ofVariantsOf key: CacheKey, limit: Int) -> [String] { [] }

    /// Looks the variant up like a request.
    package func peek(variant key: CacheKey) -> (record: VariantRecord, origin: OriginRecord)? {
        variant(key).map { ($0.record, $0.origin) }
    }

    /// Looks the original up like a request.
    package func peek(origin key: CacheKey) -> (record: OriginRecord, hasBody: Bool)? {
        origin(key).map { ($0.record, $0.file != nil) }
    }

    /// Queues a variant without auxiliary images.
    ///
    /// - Returns: false when the queue is full; the variant is not stored.
    @discardableResult
    package func store(variant: VariantRecord, origin: OriginRecord, bytes: [UInt8]) -> Bool {
        store(variant: variant, origin: origin, auxiliaries: [], bytes: bytes)
    }

    /// Carries out a purge that is in no log.
    ///
    /// - Returns: false when the queue is full.
    package func remove(_ purge: Purge, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool {
        remove(purge, at: nil, completion: completion)
    }

    /// Deletes no files.
    package func observeDeletions(_ observer: @escaping @Sendable (DeletedFiles) -> Void) {}

    /// Keeps the variant.
    package func drop(variant key: CacheKey, digest: CacheKey) {}

    /// Drops the variant.
    package func discardDamaged(variant key: CacheKey, digest: CacheKey) { drop(variant: key, digest: digest) }

    /// Has no position.
    package func setPosition(_ position: PurgePosition) {}

    /// Hides a selection from readers; `remove` must follow.
    ///
    /// - Returns: false when too many purges are waiting.
    package func tombstone(_ selection: PurgeSelection) -> Bool { tombstone(Purge(selection)) }

    /// Removes a hidden selection, including entries queued before this call.
    ///
    /// - Returns: false when the queue is full.
    package func remove(_ selection: PurgeSelection, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool {
        remove(Purge(selection), completion: completion)
    }
}
