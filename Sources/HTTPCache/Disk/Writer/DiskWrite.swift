/// A write in the writer's queue.
enum DiskWrite: Sendable {
    /// Without bytes: those stored under another key.
    case variant(
        VariantRecord,
        origin: OriginRecord,
        auxiliaries: [OriginRecord],
        bytes: [UInt8]?,
        use: DiskIndex.Use
    )
    /// Without a body: new fields for a stored original.
    case original(OriginRecord, body: OriginBody?, use: DiskIndex.Use)
    /// All responses of a raw source's URL.
    case raw(RawContent, use: DiskIndex.Use)
    /// The disk part of a purge, with its place if it comes from the log of a cluster.
    case remove(Purge, place: PurgePlace?, completion: (@Sendable (PurgeCounts) -> Void)?)
    /// A new position in that log, after purges were missed.
    case position(PurgePosition)
    /// A reader found a file that does not match its row.
    case verify(DiskClass, CacheKey)
    /// A reader found bytes that do not match their digest, or nothing needs an original's body any longer.
    case discard(DiskClass, CacheKey, digest: CacheKey)
    /// A reader found the index damaged.
    case rebuild(generation: Int)
    /// Evicts entries above changed quotas.
    case shrink
    /// Runs a reconciliation to its end.
    case reconcile
    /// Called once everything before it is committed.
    case barrier(@Sendable () -> Void)

    /// The class of a store; `nil` for other writes.
    var storedClass: DiskClass? {
        switch self {
        case .variant: .variants
        case .original, .raw: .originals
        default: nil
        }
    }

    /// Bytes that the write holds while it waits.
    var bytes: Int {
        switch self {
        case .variant(_, _, _, let bytes, _): bytes?.count ?? 0
        case .original(_, let body, _): body?.length ?? 0
        case .raw(let content, _): content.cost
        default: 0
        }
    }

    /// The maximum number of writes that may wait before this one, given the bound for stores.
    func room(in maximumCount: Int) -> Int {
        switch self {
        case .variant, .original, .raw: maximumCount
        case .remove, .verify, .discard, .rebuild: maximumCount * 2
        case .shrink, .reconcile, .barrier, .position: .max
        }
    }
}
