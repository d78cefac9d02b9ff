/// Writes: they queue and return at once, from any thread.
extension DiskStore {
    /// Stores a variant's bytes with its origin's record, and those of the others that it was made with; void when a newer origin is
    /// stored already.
    package func store(variant: VariantRecord, origin: OriginRecord, ingredients: [OriginRecord], bytes: [UInt8]) {
        guard bytes.count == variant.length, variant.origin == origin.key, variant.originDigest == origin.digest,
            variant.ingredients == ingredients.map({ VariantRecord.Ingredient(key: $0.key, digest: $0.digest) })
        else {
            shared.count { $0.variants.drops += 1 }
            return
        }
        submit(.variant(variant, origin: origin, ingredients: ingredients, bytes: bytes, use: shared.nextUse()))
    }

    /// Stores an origin's record, and its body by copying the first `length` bytes of its descriptor.
    ///
    /// Variants made from another body than `origin.digest` are removed. Without a body it is the update after a `304`
    /// (RFC 9111 §4.3.4): of a stored record only, one that is not there stays away.
    /// - Returns: false when too much waits, or the body is not the record's: it is not stored.
    @discardableResult
    package func store(origin: OriginRecord, body: OriginBody?) -> Bool {
        if let body, body.length != origin.length || body.digest != origin.digest {
            shared.count { $0.originals.drops += 1 }
            return false
        }
        return submit(.original(origin, body: body, use: shared.nextUse()))
    }

    /// Removes an origin with its body and all its variants; reads miss from this call on.
    ///
    /// While the folder cannot be used, removals wait (up to 65,536 of them) until it can; they do not survive the process.
    /// - Returns: false when too many wait: nothing is removed, try again.
    @discardableResult
    package func remove(origin key: CacheKey) -> Bool {
        let purge = Purge(.originals([key]))
        return conceal(purge) && remove(purge, completion: nil)
    }

    /// Hides what a purge removes from readers, or shows it to them as stale; `remove` must follow.
    ///
    /// - Returns: false when too many purges wait: nothing has changed.
    package func conceal(_ purge: Purge) -> Bool { shared.removals.add(purge) }

    /// Does what was concealed, also to whatever of it was queued before this call.
    ///
    /// - Parameter completion: called on the writer's thread when it is done for good, or as soon as that has to wait for the
    ///   folder to be usable again.
    /// - Returns: false when the queue is full: nothing is done, and concealed no longer.
    package func remove(_ purge: Purge, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool {
        guard shared.queue.submit(.remove(purge, completion: completion)) else {
            shared.removals.finish(purge)
            return false
        }
        return true
    }

    /// Gives the store other limits; what is over them goes in the background, least recently used first.
    package func setLimits(_ limits: DiskLimits) {
        shared.limits = limits
        _ = shared.queue.submit(.shrink)
    }

    /// Notes that something was used, for instance from memory, so that it stays; written in batches.
    package func touch(_ diskClass: DiskClass, _ key: CacheKey) {
        if shared.touches.add(diskClass, key, use: shared.nextUse()) { shared.queue.wake() }
    }

    /// Calls `completion` on the writer's thread when everything queued before is committed and the quotas are kept.
    package func flush(_ completion: @escaping @Sendable () -> Void) {
        if !shared.queue.submit(.barrier(completion)) { completion() }
    }

    /// Compares all files with all rows, in the queue's order: removes what has no counterpart.
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
