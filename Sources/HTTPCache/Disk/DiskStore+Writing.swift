import LinuxSystem

/// Writes. They only queue, and may be called on any thread.
extension DiskStore {
    /// Stores a variant's bytes with the records of its original and its auxiliary images.
    ///
    /// Dropped when a newer original is stored already.
    /// - Returns: false when the queue is full, or the records do not match each other or the bytes.
    @discardableResult
    package func store(
        variant: VariantRecord,
        origin: OriginRecord,
        auxiliaries: [OriginRecord],
        bytes: [UInt8]
    ) -> Bool {
        guard bytes.count == variant.length, matches(variant, origin, auxiliaries) else {
            shared.count { $0.variants.drops += 1 }
            return false
        }
        return submit(.variant(variant, origin: origin, auxiliaries: auxiliaries, bytes: bytes, use: shared.nextUse()))
    }

    /// Stores a variant whose bytes are stored under another key, as another name of their file.
    ///
    /// Dropped when they are not, and when a newer original is stored already.
    /// - Returns: false when the queue is full, or the records do not match each other.
    @discardableResult
    package func store(sharing variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord]) -> Bool {
        guard matches(variant, origin, auxiliaries) else {
            shared.count { $0.variants.drops += 1 }
            return false
        }
        return submit(.variant(variant, origin: origin, auxiliaries: auxiliaries, bytes: nil, use: shared.nextUse()))
    }

    /// Whether a variant's record refers to the records of its originals.
    private func matches(_ variant: VariantRecord, _ origin: OriginRecord, _ auxiliaries: [OriginRecord]) -> Bool {
        variant.origin == origin.key && variant.originDigest == origin.digest
            && variant.auxiliaries == auxiliaries.map { VariantRecord.Auxiliary(key: $0.key, digest: $0.digest) }
    }

    /// Stores an original's record, and its body as a copy of the first `length` bytes of its descriptor.
    ///
    /// Removes variants made from another body. Without a body this is the update after a 304 (RFC 9111 §4.3.4), and changes a
    /// stored record only.
    /// - Returns: false when the queue is full, or the body does not match the record.
    @discardableResult
    package func store(origin: OriginRecord, body: OriginBody?) -> Bool {
        if let body, body.length != origin.length || body.digest != origin.digest {
            shared.count { $0.originals.drops += 1 }
            return false
        }
        return submit(.original(origin, body: body, use: shared.nextUse()))
    }

    /// Drops an original's body and keeps its record, as eviction does, unless the body has another digest by then.
    ///
    /// Without any variant, the record is dropped, too.
    package func dropBody(ofOrigin key: CacheKey, digest: CacheKey) {
        _ = shared.queue.submit(.discard(.originals, key, digest: digest))
    }

    /// Removes a variant, unless it has another digest by then.
    package func drop(variant key: CacheKey, digest: CacheKey) {
        _ = shared.queue.submit(.discard(.variants, key, digest: digest))
    }

    package func discardDamaged(variant key: CacheKey, digest: CacheKey) {
        shared.noteDamage(shared.folder.file(.variants, key, digest))
        drop(variant: key, digest: digest)
    }

    /// Removes an original with its body and all its variants; reads miss from this call on.
    ///
    /// While the folder is unusable, up to 65,536 removals wait; those of this method do not survive the process.
    /// - Returns: false when too many wait; nothing is removed.
    @discardableResult
    package func remove(origin key: CacheKey) -> Bool {
        let purge = Purge(.originals([key]))
        return tombstone(purge) && remove(purge, completion: nil)
    }

    /// Hides what a purge selects from readers, or shows it as stale for a soft purge; `remove` must follow.
    ///
    /// - Returns: false when too many purges wait; nothing has changed.
    package func tombstone(_ purge: Purge) -> Bool { shared.removals.add(purge) }

    /// Carries out a purge after `tombstone`, including writes queued before this call.
    ///
    /// - Parameters:
    ///   - place: the purge's place in the log of a cluster. It becomes durable with the removal, but not before those of earlier calls.
    ///     Originals that were requested after the purge are kept.
    ///   - completion: called on the writer's thread after the commit, or as soon as the purge has to wait for an unusable folder, which
    ///     then lists it for the next process unless it cannot be written at all (`PurgeCounts.isVolatile`).
    /// - Returns: false when the queue is full; nothing is removed or hidden any longer.
    package func remove(
        _ purge: Purge,
        at place: PurgePlace?,
        completion: (@Sendable (PurgeCounts) -> Void)?
    ) -> Bool {
        guard shared.queue.submit(.remove(purge, place: place, completion: completion)) else {
            shared.removals.finish(purge)
            return false
        }
        return true
    }

    /// The position in the log of a cluster that is on disk; `nil` if there is none, or the folder cannot be read.
    package var position: PurgePosition? { shared.position.withLock { $0 } }

    /// Replaces the position after purges were missed; it is durable before anything that is stored after this call.
    package func setPosition(_ position: PurgePosition) { _ = shared.queue.submit(.position(position)) }

    /// Changes the limits; entries above them are evicted in the background, least recently used first.
    package func setLimits(_ limits: DiskLimits) {
        shared.limits = limits
        _ = shared.queue.submit(.shrink)
    }

    /// Records a use, for instance of the copy in memory; written in batches.
    package func touch(_ diskClass: DiskClass, _ key: CacheKey) {
        if shared.touches.add(diskClass, key, use: shared.nextUse()) { shared.queue.wake() }
    }

    /// Calls `completion` on the writer's thread once everything queued before is committed and the quotas are met.
    package func flush(_ completion: @escaping @Sendable () -> Void) {
        if !shared.queue.submit(.barrier(completion)) { completion() }
    }

    /// Queues a reconciliation of all files with all rows.
    func reconcile() {
        _ = shared.queue.submit(.reconcile)
    }

    @discardableResult
    func submit(_ write: DiskWrite) -> Bool {
        let isQueued = shared.queue.submit(write)
        if !isQueued, let diskClass = write.storedClass { shared.count { $0[diskClass].drops += 1 } }
        return isQueued
    }
}
