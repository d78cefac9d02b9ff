import LinuxSystem

/// Originals that have come and wait to be on disk: until then a second variant finds them here instead of asking the origin again.
///
/// Holds what the disk's write queue holds, and is bounded by its bound; any thread.
final class RecentOriginals: Sendable {
    struct Recent: Sendable {
        var record: OriginRecord
        var body: OriginBody
    }

    private let originals = Lock<[CacheKey: Recent]>([:])

    /// The original, if it waits.
    func find(_ key: CacheKey) -> Recent? { originals.withLock { $0[key] } }

    /// Stores an original, keeping it at hand until it is committed.
    func store(_ record: OriginRecord, _ body: OriginBody, on disk: any DiskStoring) {
        originals.withLock { $0[record.key] = Recent(record: record, body: body) }
        disk.store(origin: record, body: body)
        disk.flush { [weak self] in self?.remove(record.key, digest: body.digest) }
    }

    /// Forgets what a selection is about.
    func purge(_ selection: PurgeSelection) {
        originals.withLock { originals in
            originals = originals.filter { !selection.contains(origin: $0.key, source: $0.value.record.source) }
        }
    }

    private func remove(_ key: CacheKey, digest: CacheKey) {
        originals.withLock { originals in
            if originals[key]?.body.digest == digest { originals[key] = nil }
        }
    }
}
