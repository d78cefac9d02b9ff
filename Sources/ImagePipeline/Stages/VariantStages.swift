import HTTPCache
import ImagePlan
import LinuxSystem

/// Stage 2: looks variants up on disk; runs on the read lane.
struct DiskVariantStage: Sendable {
    let parts: PipelineParts

    /// Returns the stored variant, fresh or stale, and promotes it to memory if it is small enough.
    func entity(for request: VariantRequest, of flight: Flight<Answer, PipelineError>) -> Entity? {
        let tiers = request.tiers
        guard request.mayBeVariant, tiers.keepOnDisk, let stored = parts.disk?.variant(request.key) else { return nil }
        let origin = parts.origins.state(for: stored.origin).snapshot
        // If the live state has a newer original than the row, this variant is invalid.
        guard origin.record.digest == stored.record.originDigest else { return nil }
        guard request.reasonToPass(origin.record) == nil else { return nil }
        let (format, source) = (origin.record.header.format, request.origin.source)
        // The key does not depend on the formats that are read, which may have changed since.
        guard HeaderGate.refusal(of: format, source: source) == nil else { return nil }
        guard !request.takesTranscoding || !request.obeysNoTransform(of: origin.record) else { return nil }
        guard let auxiliaries = auxiliaries(of: stored.record, for: request) else { return nil }
        var description = EntityDescription(stored.record, origin: origin.record, for: request)
        description.restrict(toStrictestOf: auxiliaries.map(\.record), origin: origin.record)
        let uses = auxiliaries.map { AuxiliaryUse($0) }
        guard request.keeps.keepInMemory, parts.tiers.promotes, description.length <= parts.memoryObject else {
            let facts = VariantFacts(stored.record)
            let entity = open(stored.file, description, for: request.key, origin: origin, uses, facts, of: flight)
            entity.noteBareFile(stored.barePath)
            if request.keeps.keepOnDisk {
                _ = flight.publish(of: origin.record) { parts.openFiles.insert(entity, for: request.key, cost: 1) }
                // Otherwise the disk has deleted the file before, and tells nobody again.
                if stored.file.isUnlinked { parts.openFiles.remove(request.key) { $0 === entity } }
            }
            return entity
        }
        let entity = parts.entity(
            key: request.key,
            description: description,
            file: stored.file,
            origin: origin,
            auxiliaries: uses,
            facts: VariantFacts(stored.record),
            storable: true,
            of: flight
        )
        entity?.noteBareFile(stored.barePath)
        return entity
    }

    /// Returns an entity that is sent from its file.
    private func open(
        _ file: SharedDescriptor,
        _ description: EntityDescription,
        for key: CacheKey,
        origin: OriginSnapshot,
        _ auxiliaries: [AuxiliaryUse],
        _ facts: VariantFacts?,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity {
        parts.entity(
            key: key,
            description: description,
            body: .file(file, length: description.length),
            origin: origin,
            auxiliaries: auxiliaries,
            facts: facts,
            storable: false,
            of: flight
        )
    }

    /// Returns the auxiliary images that a variant was made with; `nil` if one was purged or has changed, which makes the variant
    /// invalid.
    func auxiliaries(of record: VariantRecord, for request: VariantRequest) -> [OriginSnapshot]? {
        guard record.auxiliaries.map(\.key) == request.auxiliaries.map(\.origin.key) else { return nil }
        var found: [OriginSnapshot] = []
        for (made, auxiliary) in zip(record.auxiliaries, request.auxiliaries) {
            guard let origin = OriginalStore.find(auxiliary.origin, in: parts)?.original,
                origin.record.digest == made.digest
            else {
                return nil
            }
            found.append(origin)
        }
        return found
    }
}

/// Stage 1: looks variants up in memory; runs on the event loop.
struct MemoryVariantStage: Sendable {
    let memory: MemoryCache<Entity>

    /// Returns a fresh entity.
    @inline(__always)
    func fresh(_ key: CacheKey, now: Int64) -> Entity? {
        guard let entity = memory.value(for: key), entity.isCurrent, entity.isFresh(at: now) else { return nil }
        return entity
    }

    /// Returns an entity, fresh or stale, for revalidation; a hot copy only while it is fresh, since its owner revalidates it.
    func stale(_ key: CacheKey, now: Int64) -> Entity? {
        guard let entity = memory.value(for: key), !entity.isHotCopy || entity.isFresh(at: now) else { return nil }
        guard entity.isCurrent else {
            memory.remove(key)
            return nil
        }
        return entity
    }
}
