import ImagePlan
import LinuxSystem

/// Stage 2: variants on disk; on the read lane.
struct DiskVariantStage: Sendable {
    let parts: PipelineParts

    /// The stored variant as an entity, promoted to memory where it is small enough; whatever its freshness.
    func entity(for request: VariantRequest, of flight: Flight<Answer>) -> Entity? {
        let tiers = request.origin.source.cache
        guard request.plan != nil, tiers.keepOnDisk, let stored = parts.disk?.variant(request.key) else { return nil }
        let origin = parts.origins.state(for: stored.origin).snapshot
        // The live state may know of a newer original than the row: then this variant is void.
        guard origin.record.digest == stored.record.originDigest else { return nil }
        let description = EntityDescription(
            mediaType: stored.record.format.mediaType,
            digest: stored.record.digest,
            length: stored.record.length,
            origin: origin.record,
            variesOnAccept: request.bucket != nil
        )
        guard tiers.keepInMemory, description.length <= parts.memoryObject else {
            return open(stored.file, description, for: request.key, origin: origin, of: flight)
        }
        return parts.entity(
            key: request.key,
            description: description,
            file: stored.file,
            origin: origin,
            storable: true,
            of: flight
        )
    }

    /// The variant as its file, which stays open for the next request unless a purge has come between.
    private func open(
        _ file: SharedDescriptor,
        _ description: EntityDescription,
        for key: CacheKey,
        origin: OriginSnapshot,
        of flight: Flight<Answer>
    ) -> Entity {
        let entity = parts.entity(
            key: key,
            description: description,
            body: .file(file, length: description.length),
            origin: origin,
            storable: false,
            of: flight
        )
        _ = flight.publish { parts.openFiles.insert(entity, for: key, cost: 1) }
        return entity
    }
}
