import HTTPCache
import ImagePlan

/// Computes an original's placeholder after a response without one: a bare original, or a variant made before the source's
/// `placeholder` setting.
///
/// Starts on any thread, continues on the read lane or a thread of the shared store, and ends on the transform pool. After a
/// failure the variant is paused: a later response without a placeholder tries again.
final class PlaceholderTask: Sendable {
    private let request: VariantRequest
    private let entity: Entity
    private let parts: PipelineParts
    private let background: VariantBackground
    private let flight: Flight<Answer, PipelineError>

    /// - Parameters:
    ///   - entity: the entity that was served.
    ///   - background: pauses the variant after a failure.
    init(
        request: VariantRequest,
        entity: Entity,
        parts: PipelineParts,
        background: VariantBackground,
        flight: Flight<Answer, PipelineError>
    ) {
        self.request = request
        self.entity = entity
        self.parts = parts
        self.background = background
        self.flight = flight
    }

    /// Starts with the original's bytes, or looks them up in the store.
    func start(with body: OriginBody?) {
        let origin = entity.origin.snapshot
        guard origin.record.digest == entity.originDigest else { return end() }
        if let placeholder = origin.record.placeholder {
            // Another request has computed it meanwhile.
            tell(placeholder, of: origin)
        } else if let body {
            compute(origin, body)
        } else if !parts.readLane.submit({ self.find(origin) }) {
            fail()
        }
    }

    private func find(_ origin: OriginSnapshot) {
        guard case .file(let body)? = OriginalStore.find(request.origin, in: parts)?.content else {
            return findShared(origin)
        }
        guard body.digest == origin.record.digest else { return fail() }
        compute(origin, body)
    }

    /// Looks the content up in the shared store: this node may have only a result from there.
    private func findShared(_ origin: OriginSnapshot) {
        let request = request.origin
        guard let shared = parts.shared, shared.isAvailable, request.url != nil, !request.source.isFolder,
            request.keeps.originals.keepOnDisk
        else { return fail() }
        shared.find(bodyOf: origin.record) { [self] body in
            guard let body else { return fail() }
            compute(origin, body)
        }
    }

    private func compute(_ origin: OriginSnapshot, _ body: OriginBody) {
        let header = origin.record.header
        let source = request.origin.source
        guard HeaderGate.refusal(of: header, plan: Placeholder.planText, source: source) == nil else {
            return learn(.none, of: origin)
        }
        let job = TransformStage.placeholderJob(request: request, header: header, body: body)
        _ = parts.transformer.transform(job) { [self] result in
            switch result {
            case .success(let made):
                guard let picture = made.pictures.first, let placeholder = Placeholder(text: picture.bytes) else {
                    return fail()
                }
                learn(placeholder, of: origin)
            case .failure(let error):
                // A permanent failure would repeat.
                if error.traits.isPermanent { learn(.none, of: origin) } else { fail() }
            }
        }
    }

    private func learn(_ placeholder: Placeholder, of origin: OriginSnapshot) {
        parts.learn(placeholder, of: origin, for: request.origin, in: flight)
        tell(placeholder, of: origin)
    }

    /// Replaces the served entity in memory by one with the placeholder.
    private func tell(_ placeholder: Placeholder, of origin: OriginSnapshot) {
        var description = entity.description
        description.hints?.placeholder = placeholder
        if request.keeps.keepInMemory, entity.isCurrent, parts.memory.value(for: request.key) === entity {
            var origin = origin
            origin.record.placeholder = placeholder
            _ = parts.entity(
                key: request.key,
                description: description,
                stored: entity.body,
                origin: origin,
                auxiliaries: entity.auxiliaries,
                facts: entity.facts,
                storable: true,
                of: flight
            )
        } else {
            parts.openFiles.remove(request.key)
        }
        end()
    }

    private func fail() {
        background.pause(.placeholder, request.key)
        end()
    }

    private func end() {
        flight.finish(.failure(.cancelled))
    }
}

extension PipelineParts {
    /// Publishes an original's placeholder and stores it in the original's record on disk, if there is one.
    func learn(
        _ placeholder: Placeholder,
        of origin: OriginSnapshot,
        for request: OriginRequest,
        in flight: Flight<Answer, PipelineError>
    ) {
        guard !request.keepsNothing else { return }
        _ = flight.publish(of: origin.record) {
            let metadata = OriginMetadata(header: origin.record.header, placeholder: placeholder).encoded
            guard let record = origin.state.learn(metadata: metadata, of: origin.record.digest) else { return }
            if request.keeps.keepsOriginalRecord { disk?.store(origin: record, body: nil) }
        }
    }
}
