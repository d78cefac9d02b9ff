import ImagePlan
import LinuxSystem

/// Stage 2: variants on disk; on the read lane.
struct DiskVariantStage: Sendable {
    let parts: PipelineParts

    /// The stored variant as an entity, promoted to memory where it is small enough; whatever its freshness.
    func entity(for request: VariantRequest, of flight: Flight<Answer>) -> Entity? {
        let tiers = request.tiers
        guard request.plan != nil, tiers.keepOnDisk, let stored = parts.disk?.variant(request.key) else { return nil }
        let origin = parts.origins.state(for: stored.origin).snapshot
        // The live state may know of a newer original than the row: then this variant is void.
        guard origin.record.digest == stored.record.originDigest else { return nil }
        let description = EntityDescription(
            mediaType: stored.record.format.mediaType,
            digest: stored.record.digest,
            length: stored.record.length,
            origin: origin.record,
            of: request.origin.source,
            variesOnAccept: request.bucket != nil,
            animation: request.animation(of: origin.record.header, in: stored.record)
        )
        guard request.keeps.keepInMemory, description.length <= parts.memoryObject else {
            let entity = open(stored.file, description, for: request.key, origin: origin, of: flight)
            if request.keeps.keepOnDisk {
                _ = flight.publish(of: origin.record) { parts.openFiles.insert(entity, for: request.key, cost: 1) }
            }
            return entity
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

    /// The variant as its file, sent from there.
    private func open(
        _ file: SharedDescriptor,
        _ description: EntityDescription,
        for key: CacheKey,
        origin: OriginSnapshot,
        of flight: Flight<Answer>
    ) -> Entity {
        parts.entity(
            key: key,
            description: description,
            body: .file(file, length: description.length),
            origin: origin,
            storable: false,
            of: flight
        )
    }
}
