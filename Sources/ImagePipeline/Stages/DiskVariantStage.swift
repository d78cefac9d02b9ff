import HTTPCache
import ImagePlan
import LinuxSystem

/// Stage 2: variants on disk; on the read lane.
struct DiskVariantStage: Sendable {
    let parts: PipelineParts

    /// The stored variant as an entity, promoted to memory where it is small enough; whatever its freshness.
    func entity(for request: VariantRequest, of flight: Flight<Answer, PipelineError>) -> Entity? {
        let tiers = request.tiers
        guard request.plan != nil, tiers.keepOnDisk, let stored = parts.disk?.variant(request.key) else { return nil }
        let origin = parts.origins.state(for: stored.origin).snapshot
        // The live state may know of a newer original than the row: then this variant is void.
        guard origin.record.digest == stored.record.originDigest else { return nil }
        guard !request.mustStayOriginal(origin.record) else { return nil }
        guard let ingredients = ingredients(of: stored.record, for: request) else { return nil }
        var description = EntityDescription(stored.record, origin: origin.record, for: request)
        description.temper(by: ingredients.map(\.record), origin: origin.record)
        let uses = ingredients.map { IngredientUse($0) }
        guard request.keeps.keepInMemory, description.length <= parts.memoryObject else {
            let entity = open(stored.file, description, for: request.key, origin: origin, uses, of: flight)
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
            ingredients: uses,
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
        _ ingredients: [IngredientUse],
        of flight: Flight<Answer, PipelineError>
    ) -> Entity {
        parts.entity(
            key: key,
            description: description,
            body: .file(file, length: description.length),
            origin: origin,
            ingredients: ingredients,
            storable: false,
            of: flight
        )
    }

    /// What is known of the other originals that a variant was made with; `nil` where one has been purged, or is another by now:
    /// then the variant is void.
    private func ingredients(of record: VariantRecord, for request: VariantRequest) -> [OriginSnapshot]? {
        guard record.ingredients.map(\.key) == request.ingredients.map(\.origin.key) else { return nil }
        var found: [OriginSnapshot] = []
        for (made, ingredient) in zip(record.ingredients, request.ingredients) {
            guard let origin = OriginalStore.find(ingredient.origin, in: parts)?.original,
                origin.record.digest == made.digest
            else {
                return nil
            }
            found.append(origin)
        }
        return found
    }
}
