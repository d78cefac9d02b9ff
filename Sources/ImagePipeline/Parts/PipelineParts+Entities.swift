import HTTPCache
import LinuxSystem
import OriginTransfer

extension PipelineParts {
    /// Creates an entity from a body, and inserts it into the memory cache if allowed and not purged meanwhile.
    func entity(
        key: CacheKey,
        description: EntityDescription,
        body: Entity.Body,
        origin: OriginSnapshot,
        auxiliaries: [AuxiliaryUse] = [],
        facts: VariantFacts? = nil,
        isHotCopy: Bool = false,
        storable: Bool,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity {
        var description = description
        let coded = CompressedText(of: body, description)
        description.variesByCoding = coded != nil
        let compressed = coded.map { coded in
            Entity(
                description: coded.description,
                body: .memory(coded.bytes),
                origin: origin,
                fields: presentation(coded.description),
                auxiliaries: auxiliaries
            )
        }
        var lease: BodyLease?
        if storable, case .memory(let bytes) = body {
            lease = bodies.lease(bytes, digest: description.digest, for: key, in: BodyScope(of: origin.record))
        }
        let entity = Entity(
            description: description,
            body: body,
            origin: origin,
            fields: presentation(description),
            subject: flight.subject,
            auxiliaries: auxiliaries,
            lease: lease,
            facts: facts,
            compressed: compressed,
            isHotCopy: isHotCopy,
            isCacheable: storable
        )
        guard storable, case .memory = body else { return entity }
        let isKept =
            flight.publish(of: origin.record) { bodies.insert(entity, for: key, of: origin.record, in: memory) } != nil
        if isKept { noteStored(entity, flight.subject) } else { bodies.release(entity, in: memory) }
        return entity
    }

    /// Creates an entity from stored bytes, in memory or in a file; `nil` if the file cannot be read.
    func entity(
        key: CacheKey,
        description: EntityDescription,
        stored: Entity.Body,
        origin: OriginSnapshot,
        auxiliaries: [AuxiliaryUse],
        facts: VariantFacts?,
        storable: Bool,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity? {
        var body = stored
        if case .file(let file, let length) = stored, length <= memoryObject {
            guard let bytes = file.read(count: length) else { return nil }
            body = .memory(bytes)
        }
        return entity(
            key: key,
            description: description,
            body: body,
            origin: origin,
            auxiliaries: auxiliaries,
            facts: facts,
            storable: storable,
            of: flight
        )
    }

    private func noteStored(_ entity: Entity, _ subject: PurgeSubject?) {
        guard let observer, observer.isObserving, let subject else { return }
        var event = ActivityEvent(.stored, source: subject.source, url: subject.url)
        event.plan = subject.plan
        event.tier = "memory"
        event.bytes = entity.body.length
        observer.note(event)
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
        facts: VariantFacts? = nil,
        storable: Bool,
        of flight: Flight<Answer, PipelineError>
    ) -> Entity? {
        entity(
            key: key,
            description: description,
            stored: .file(file, length: description.length),
            origin: origin,
            auxiliaries: auxiliaries,
            facts: facts,
            storable: storable,
            of: flight
        )
    }
}

extension PipelineParts {
    /// Copies bytes into a memory file, from which a worker reads; `nil` if the system or the account of bodies has no room.
    func body(_ bytes: [UInt8]) -> OriginBody? {
        do throws(TransferError) {
            let sink = try BodySink(limit: bytes.count, ledgers: ledgers)
            guard sink.charge?.add(bytes.count) ?? true else { return nil }
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(TransferError) in
                try unsafe sink.append(UnsafeRawBufferPointer(buffer))
            }
            return try? OriginBody(try sink.finish())
        } catch {
            return nil
        }
    }
}
