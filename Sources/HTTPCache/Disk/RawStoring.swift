/// The disk tier for raw sources.
///
/// Lookups block and must run on the read lane; stores are queued and return immediately.
package protocol RawStoring: DiskStoring {
    /// The stored responses of a raw source's URL; `nil` if there are none, or if the record is of another kind.
    func raw(_ key: CacheKey) -> StoredRaw?
    /// Queues the responses of a URL for writing, in place of all stored ones.
    ///
    /// - Returns: false if the write queue is full; nothing is stored then.
    @discardableResult
    func store(raw content: RawContent) -> Bool
}
