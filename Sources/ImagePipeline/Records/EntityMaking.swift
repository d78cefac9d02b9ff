import HTTPCache
import ImagePlan
import LinuxSystem

extension EntityDescription {
    init(
        mediaType: String,
        digest: CacheKey,
        length: Int,
        origin: OriginRecord,
        of source: SourceRule,
        animation: AnimationOutcome?,
        standIn: StandIn? = nil
    ) {
        self.init(
            mediaType: mediaType,
            digest: digest,
            length: length,
            // A date would let clients keep it beyond the other: by the entity tag they tell them apart.
            lastModified: standIn == nil ? origin.lastModified : nil,
            cacheControl: origin.downstreamCacheControl,
            advertisedLifetime: origin.advertisedLifetime,
            hints: OriginalHints(origin, for: source),
            standIn: standIn,
            animation: animation
        )
    }

    /// Describes a variant that is stored, or about to be.
    init(_ record: VariantRecord, origin: OriginRecord, for request: VariantRequest) {
        let source = request.origin.source
        self.init(
            mediaType: record.format.mediaType,
            digest: record.digest,
            length: record.length,
            origin: origin,
            of: source,
            animation: request.animation(of: origin.header, in: record),
            standIn: record.isStandIn ? StandIn(record: record, lifetime: source.avif.standInLifetime) : nil
        )
    }
}

extension VariantRequest {
    /// What became of an original's frames in a result; for the bare original `made` is `nil`.
    func animation(of header: ImageHeader, in made: VariantRecord?) -> AnimationOutcome? {
        AnimationOutcome(
            plan: plan,
            header: header,
            frames: made?.frames ?? header.frames,
            format: made?.format.image,
            limits: origin.source.animation
        )
    }
}

extension PipelineParts {
    /// Makes an entity of bytes, and keeps it in memory where that is allowed and no purge has come between.
    func entity(
        key: CacheKey,
        description: EntityDescription,
        body: Entity.Body,
        origin: OriginSnapshot,
        ingredients: [IngredientUse] = [],
        storable: Bool,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity {
        let entity = Entity(
            description: description,
            body: body,
            origin: origin,
            fields: presentation(description),
            subject: flight.subject,
            ingredients: ingredients
        )
        if storable, case .memory = body {
            _ = flight.publish(of: origin.record) { memory.insert(entity, for: key, cost: entity.cost) }
        }
        return entity
    }

    /// Makes an entity of a file's bytes: read into memory and kept there where they are few, else sent from the file.
    func entity(
        key: CacheKey,
        description: EntityDescription,
        file: SharedDescriptor,
        origin: OriginSnapshot,
        ingredients: [IngredientUse] = [],
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
            ingredients: ingredients,
            storable: storable,
            of: flight
        )
    }
}
