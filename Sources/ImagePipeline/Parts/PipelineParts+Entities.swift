import HTTPCache
import LinuxSystem

extension PipelineParts {
    /// Creates an entity from a body, and inserts it into the memory cache if allowed and not purged meanwhile.
    func entity(
        key: CacheKey,
        description: EntityDescription,
        body: Entity.Body,
        origin: OriginSnapshot,
        auxiliaries: [AuxiliaryUse] = [],
        storable: Bool,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity {
        let entity = Entity(
            description: description,
            body: body,
            origin: origin,
            fields: presentation(description),
            subject: flight.subject,
            auxiliaries: auxiliaries
        )
        if storable, case .memory = body {
            _ = flight.publish(of: origin.record) {
                memory.insert(entity, for: key, cost: entity.cost, in: origin.record.namespace)
            }
        }
        return entity
    }

    /// Creates an entity from a file; small files are read into memory and cached there, larger ones are sent from the file.
    ///
    /// Returns `nil` if the file cannot be read.
    func entity(
        key: CacheKey,
        description: EntityDescription,
        file: SharedDescriptor,
        origin: OriginSnapshot,
        auxiliaries: [AuxiliaryUse] = [],
        storable: Bool,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity? {
        var body = Entity.Body.file(file, length: description.length)
        if description.length <= memoryObject {
            guard let bytes = file.read(count: description.length) else { return nil }
            body = .memory(bytes)
        }
        return entity(
            key: key,
            description: description,
            body: body,
            origin: origin,
            auxiliaries: auxiliaries,
            storable: storable,
            of: flight
        )
    }
}
