/// A disk tier that is read, or written, only as far as a policy allows; purges reach it in any case.
///
/// Tells an observer what the store has accepted.
package struct TieredDisk: RawStoring {
    private let disk: any RawStoring
    private let policy: TierPolicy
    private let observer: (any ActivityObserving)?

    /// Creates a tier over a store.
    package init(_ disk: any RawStoring, policy: TierPolicy, observer: (any ActivityObserving)? = nil) {
        self.disk = disk
        self.policy = policy
        self.observer = observer
    }

    package func variant(_ key: CacheKey) -> StoredVariant? { policy.readsDisk ? disk.variant(key) : nil }

    package func variant(resolved key: CacheKey, for subject: PurgeSubject) -> StoredVariant? {
        policy.readsDisk ? disk.variant(resolved: key, for: subject) : nil
    }

    package func barePath(ofVariant key: CacheKey, digest: CacheKey, length: Int) -> String? {
        policy.readsDisk ? disk.barePath(ofVariant: key, digest: digest, length: length) : nil
    }

    package func peek(variant key: CacheKey) -> (record: VariantRecord, origin: OriginRecord)? {
        policy.readsDisk ? disk.peek(variant: key) : nil
    }

    package func peek(origin key: CacheKey) -> (record: OriginRecord, hasBody: Bool)? {
        policy.readsDisk ? disk.peek(origin: key) : nil
    }

    package func labels(ofVariantsOf key: CacheKey, limit: Int) -> [String] {
        policy.readsDisk ? disk.labels(ofVariantsOf: key, limit: limit) : []
    }

    package func origin(_ key: CacheKey) -> StoredOrigin? { policy.readsDisk ? disk.origin(key) : nil }

    package func raw(_ key: CacheKey) -> StoredRaw? { policy.readsDisk ? disk.raw(key) : nil }

    @discardableResult
    package func store(
        variant: VariantRecord,
        origin: OriginRecord,
        auxiliaries: [OriginRecord],
        bytes: [UInt8]
    ) -> Bool {
        guard policy.writesDisk,
            disk.store(variant: variant, origin: origin, auxiliaries: auxiliaries, bytes: bytes)
        else { return false }
        note(origin.source, origin.url, bytes.count, plan: variant.plan)
        return true
    }

    @discardableResult
    package func store(sharing variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord]) -> Bool {
        policy.writesDisk && disk.store(sharing: variant, origin: origin, auxiliaries: auxiliaries)
    }

    @discardableResult
    package func store(origin: OriginRecord, body: OriginBody?) -> Bool {
        guard !policy.writesDisk else {
            let isStored = disk.store(origin: origin, body: body)
            if isStored, let body { note(origin.source, origin.url, body.length) }
            return isStored
        }
        // A copy on disk of an earlier body must not be read after a restart.
        if body != nil { discard(origin.key) }
        return false
    }

    @discardableResult
    package func store(raw content: RawContent) -> Bool {
        guard policy.writesDisk, disk.store(raw: content) else { return false }
        note(content.source, content.url, content.cost)
        return true
    }

    package func dropBody(ofOrigin key: CacheKey, digest: CacheKey) { disk.dropBody(ofOrigin: key, digest: digest) }

    package func drop(variant key: CacheKey, digest: CacheKey) { disk.drop(variant: key, digest: digest) }

    package func discardDamaged(variant key: CacheKey, digest: CacheKey) {
        disk.discardDamaged(variant: key, digest: digest)
    }

    package func tombstone(_ purge: Purge) -> Bool { disk.tombstone(purge) }

    package func remove(
        _ purge: Purge,
        at place: PurgePlace?,
        completion: (@Sendable (PurgeCounts) -> Void)?
    ) -> Bool {
        disk.remove(purge, at: place, completion: completion)
    }

    package func setPosition(_ position: PurgePosition) { disk.setPosition(position) }

    package func count(_ selection: PurgeSelection) -> PurgeCounts { disk.count(selection) }

    package func touch(_ diskClass: DiskClass, _ key: CacheKey) { disk.touch(diskClass, key) }

    package func observeDeletions(_ observer: @escaping @Sendable (DeletedFiles) -> Void) {
        disk.observeDeletions(observer)
    }

    package func flush(_ completion: @escaping @Sendable () -> Void) { disk.flush(completion) }

    private func note(_ source: String, _ url: String, _ bytes: Int, plan: String? = nil) {
        guard let observer, observer.isObserving else { return }
        var event = ActivityEvent(.stored, source: source, url: url)
        event.tier = "disk"
        event.bytes = bytes
        event.plan = plan
        observer.note(event)
    }

    private func discard(_ key: CacheKey) {
        let selection = PurgeSelection.originals([key])
        if disk.tombstone(selection) { _ = disk.remove(selection, completion: nil) }
    }
}
