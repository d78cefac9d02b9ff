/// The disk tier as raw sources see it.
///
/// Look-ups block and belong on the read lane; stores are queued and return at once.
package protocol RawStoring: DiskStoring {
    /// What is stored of a URL of a raw source; `nil` where nothing is, or a picture.
    func raw(_ key: CacheKey) -> StoredRaw?
    /// Queues what is kept of a URL, in place of all that was.
    ///
    /// False when too much waits: it is not stored.
    @discardableResult
    func store(raw content: RawContent) -> Bool
}

/// What is stored of a URL of a raw source, as it was found on disk.
package struct StoredRaw: Sendable {
    package var record: OriginRecord
    /// An encoded `RawEntry`.
    package var bytes: [UInt8]

    /// Creates the description of a stored body.
    package init(record: OriginRecord, bytes: [UInt8]) {
        self.record = record
        self.bytes = bytes
    }
}
