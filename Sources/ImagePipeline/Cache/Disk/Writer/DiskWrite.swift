/// One piece of work for the writer.
enum DiskWrite: Sendable {
    case variant(
        VariantRecord,
        origin: OriginRecord,
        ingredients: [OriginRecord],
        bytes: [UInt8],
        use: DiskIndex.Use
    )
    /// Without a body: new header fields for one that is stored.
    case original(OriginRecord, body: OriginBody?, use: DiskIndex.Use)
    /// What is stored of a raw source's URL.
    case raw(RawContent, use: DiskIndex.Use)
    /// What is on disk of a purge.
    case remove(Purge, completion: (@Sendable (PurgeCounts) -> Void)?)
    /// A reader found that the entry's file is not as its row says.
    case verify(DiskClass, CacheKey)
    /// A reader found that the entry's bytes are not those of its digest.
    case discard(DiskClass, CacheKey, digest: CacheKey)
    /// A reader found the index itself damaged.
    case rebuild(generation: Int)
    /// Evicts what is over quotas that have changed.
    case shrink
    /// Compares all files and rows now.
    case reconcile
    /// Called when everything before it is committed.
    case barrier(@Sendable () -> Void)

    /// The class of what is to be stored; `nil` for other writes.
    var storedClass: DiskClass? {
        switch self {
        case .variant: .variants
        case .original, .raw: .originals
        default: nil
        }
    }

    /// Bytes that wait with it.
    var bytes: Int {
        switch self {
        case .variant(_, _, _, let bytes, _): bytes.count
        case .original(_, let body, _): body?.length ?? 0
        case .raw(let content, _): content.cost
        default: 0
        }
    }

    /// How many writes may wait before this one, by the bound for stores.
    func room(in maximumCount: Int) -> Int {
        switch self {
        case .variant, .original, .raw: maximumCount
        case .remove, .verify, .discard, .rebuild: maximumCount * 2
        case .shrink, .reconcile, .barrier: .max
        }
    }
}
