import HTTPCache
import LinuxSystem

extension PipelineParts {
    /// Replaces a stored variant in memory and on disk.
    ///
    /// - Parameters:
    ///   - record: the new variant's record.
    ///   - origin: the original that it was made of.
    ///   - flight: the flight of the work.
    /// - Returns: false if the variant was purged or the original has changed.
    func replace(
        _ request: VariantRequest,
        by record: VariantRecord,
        _ bytes: [UInt8],
        of origin: OriginSnapshot,
        in flight: Flight<Answer, PipelineError>
    ) -> Bool {
        let description = EntityDescription(record, origin: origin.record, for: request)
        let isInMemory = request.keeps.keepInMemory && tiers.fillsMemory && bytes.count <= memoryObject
        let scope = BodyScope(of: origin.record)
        let lease = isInMemory ? bodies.lease(bytes, digest: record.digest, for: request.key, in: scope) : nil
        let entity = Entity(
            description: description,
            body: .memory(bytes),
            origin: origin,
            fields: presentation(description),
            subject: flight.subject,
            lease: lease,
            facts: VariantFacts(record)
        )
        let isKept = flight.publish(of: origin.record) {
            guard origin.state.record.digest == origin.record.digest else { return false }
            if isInMemory {
                bodies.insert(entity, for: request.key, of: origin.record, in: memory)
            } else {
                memory.remove(request.key)
            }
            openFiles.remove(request.key)
            if request.keeps.keepOnDisk { disk?.store(variant: record, origin: origin.record, bytes: bytes) }
            return true
        }
        if isKept != true { bodies.release(entity, in: memory) }
        return isKept ?? false
    }
}
