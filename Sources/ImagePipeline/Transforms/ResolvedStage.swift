import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Looks up variants that other requests have made with the same result; runs on the read lane.
struct ResolvedStage: Sendable {
    let parts: PipelineParts

    /// A variant that another request has made.
    struct Found: Sendable {
        /// The variant's record for the request that looks it up.
        var record: VariantRecord
        var body: Entity.Body
        var tier: CacheStatus.Tier
        /// The placeholder of the original, if the maker has told it.
        var placeholder: Placeholder?
    }

    /// Returns a stored variant with a resolved key.
    ///
    /// - Parameters:
    ///   - auxiliaries: the records of the request's auxiliary images.
    func find(
        _ resolved: CacheKey,
        for request: VariantRequest,
        of origin: OriginRecord,
        with auxiliaries: [OriginRecord] = []
    ) -> Found? {
        guard let plan = request.plan else { return nil }
        var record = VariantRecord(
            key: request.key,
            origin: request.origin.key,
            originDigest: origin.digest,
            plan: request.label(plan: plan),
            presets: request.presets,
            length: 0,
            digest: origin.digest,
            metadata: []
        )
        record.resolved = resolved
        record.auxiliaries = auxiliaries.map { VariantRecord.Auxiliary(key: $0.key, digest: $0.digest) }
        func found(_ body: Entity.Body, _ digest: CacheKey, _ metadata: [UInt8], _ tier: CacheStatus.Tier) -> Found {
            var record = record
            (record.length, record.digest, record.metadata) = (body.length, digest, metadata)
            return Found(record: record, body: body, tier: tier)
        }
        if let entity = parts.bodies.entity(resolved: resolved), let facts = entity.facts,
            entity.originDigest == origin.digest
        {
            return found(entity.body, entity.description.digest, facts.metadata, .memory)
        }
        let subject = PurgeSubject(record, of: origin)
        guard request.tiers.keepOnDisk, let stored = parts.disk?.variant(resolved: resolved, for: subject),
            stored.record.originDigest == origin.digest, !stored.record.isStandIn
        else { return nil }
        let body = Entity.Body.file(stored.file, length: stored.record.length)
        return found(body, stored.record.digest, stored.record.metadata, .disk)
    }
}
