import HTTPCache
package import HTTPSemantics
import ImagePlan
import LinuxSystem

/// A stored copy of an original or a variant.
package struct StoredCopy: Hashable, Sendable {
    /// Whether it may be served without validation (RFC 9111 §4.2).
    package var isFresh: Bool
    /// Seconds since the origin sent or validated the original (RFC 9111 §4.2.3).
    package var age: Int64
    /// Bytes.
    package var length: Int
}

/// The copies of one original or variant in the cache tiers.
package struct StoredCopies: Hashable, Sendable {
    package var memory: StoredCopy?
    package var disk: StoredCopy?

    /// Whether there is none.
    package var isEmpty: Bool { memory == nil && disk == nil }
}

/// Questions to the cache that fetch nothing and make nothing (SDWebImage: `diskImageExists`, `queryCacheOperation`).
///
/// They block, and belong on the read lane. What is read from disk counts as used.
extension Pipeline {
    /// Returns the stored copies of a variant; for a request without a plan, those of the bare original.
    ///
    /// What is queued for the disk counts as being on it.
    package func copies(of request: VariantRequest) -> StoredCopies {
        var copies = StoredCopies()
        let now = parts.time.wallSeconds
        if let entity = parts.memory.peek(request.key), entity.isCurrent {
            copies.memory = StoredCopy(
                isFresh: entity.isFresh(at: now),
                age: entity.age(at: now),
                length: entity.description.length
            )
        }
        guard !servesOriginal(request) else {
            copies.disk = self.copies(of: request.origin).disk
            return copies
        }
        guard request.tiers.keepOnDisk, let found = parts.disk?.peek(variant: request.key) else { return copies }
        let origin = parts.origins.live(found.origin.key)?.record ?? found.origin
        guard found.record.originDigest == origin.digest, request.reasonToPass(origin) == nil else { return copies }
        var disk = StoredCopy(
            isFresh: isFresh(origin, at: now),
            age: origin.freshness.age(at: now),
            length: found.record.length
        )
        // A variant is as fresh as the least fresh of its originals.
        guard found.record.auxiliaries.count == request.auxiliaries.count else { return copies }
        for (made, auxiliary) in zip(found.record.auxiliaries, request.auxiliaries) {
            guard let other = OriginalStore.find(auxiliary.origin, in: parts)?.original?.record,
                other.digest == made.digest
            else { return copies }
            disk.isFresh = disk.isFresh && isFresh(other, at: now)
            disk.age = max(disk.age, other.freshness.age(at: now))
        }
        copies.disk = disk
        return copies
    }

    /// Returns the stored copy of an original's bytes, or of the JPEG XL that they are restored from; originals are kept on disk only.
    package func copies(of request: OriginRequest) -> StoredCopies {
        var record: OriginRecord?
        if let recent = parts.recent.find(request.key) {
            record = recent.record
        } else if request.source.cache.originals.keepOnDisk, let found = parts.disk?.peek(origin: request.key),
            found.hasBody || RestoredOriginalStage.hasCopy(of: found.record, in: parts)
        {
            let live = parts.origins.live(request.key)?.record
            record = live?.digest == found.record.digest ? live : found.record
        }
        guard let record else { return StoredCopies() }
        let now = parts.time.wallSeconds
        return StoredCopies(
            disk: StoredCopy(
                isFresh: isFresh(record, at: now),
                age: record.freshness.age(at: now),
                length: record.length
            )
        )
    }

    private func isFresh(_ record: OriginRecord, at now: Int64) -> Bool {
        record.freshness.isFresh(at: now) && parts.progress.trust(record.stamp) == .full
    }

    /// Returns the stored variant, fresh or stale, with the tier that it comes from; `nil` if none is stored.
    package func stored(_ request: VariantRequest) -> (entity: Entity, tier: CacheStatus.Tier)? {
        if let entity = parts.memory.peek(request.key), entity.isCurrent { return (entity, .memory) }
        guard let entity = servesOriginal(request) ? storedOriginal(request) : storedVariant(request) else {
            return nil
        }
        return (entity, .disk)
    }

    /// Whether the response is the unchanged original: without a plan, unless a JPEG XL stands for it, or for a `PassReason`; blocks.
    func servesOriginal(_ request: VariantRequest) -> Bool {
        guard request.mayBeVariant else { return true }
        let key = request.origin.key
        let record = parts.origins.live(key)?.record ?? parts.disk?.peek(origin: key)?.record
        guard request.plan != nil else {
            guard let record, !request.obeysNoTransform(of: record) else { return true }
            return parts.disk?.peek(variant: request.key)?.record.originDigest != record.digest
        }
        return record.map { request.reasonToPass($0) != nil } ?? false
    }

    private func storedVariant(_ request: VariantRequest) -> Entity? {
        guard copies(of: request).disk != nil, let stored = parts.disk?.variant(request.key) else { return nil }
        let origin = parts.origins.state(for: stored.origin).snapshot
        guard origin.record.digest == stored.record.originDigest else { return nil }
        let stage = DiskVariantStage(parts: parts)
        guard let auxiliaries = stage.auxiliaries(of: stored.record, for: request) else { return nil }
        var description = EntityDescription(stored.record, origin: origin.record, for: request)
        description.restrict(toStrictestOf: auxiliaries.map(\.record), origin: origin.record)
        return entity(description, stored.file, origin, auxiliaries.map { AuxiliaryUse($0) })
    }

    private func storedOriginal(_ request: VariantRequest) -> Entity? {
        guard let response = OriginalStore.find(request.origin, in: parts), let origin = response.original,
            case .file(let body) = response.content
        else { return nil }
        var description = EntityDescription(
            mediaType: origin.record.mediaType,
            digest: body.digest,
            length: body.length,
            origin: origin.record,
            of: request.origin.source,
            animation: request.animation(of: origin.record.header, in: nil)
        )
        description.passReason = request.reasonToPass(origin.record)
        description.isSandboxed = origin.record.header.format == .other
        description.contentCoding = origin.record.header.format.contentCoding
        return entity(description, body.file, origin)
    }

    private func entity(
        _ description: EntityDescription,
        _ file: SharedDescriptor,
        _ origin: OriginSnapshot,
        _ auxiliaries: [AuxiliaryUse] = []
    ) -> Entity {
        Entity(
            description: description,
            body: .file(file, length: description.length),
            origin: origin,
            fields: parts.presentation(description),
            auxiliaries: auxiliaries
        )
    }
}

extension Pipeline {
    /// Runs short blocking work, such as a question to the disk, on the read lane.
    ///
    /// - Returns: false if too much is waiting there; the work does not run then.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool { parts.readLane.submit(work) }
}
