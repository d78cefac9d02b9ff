import HTTPCache
import ImagePlan

/// The computing of one original's placeholder after somebody was answered without it: the bare original, or a result that is
/// older than the source's wish for placeholders.
///
/// Begins on any thread, goes on on the read lane and ends on the transform pool. Fails in silence: the next answer without a
/// placeholder begins anew.
final class PlaceholderTask: Sendable {
    private let request: VariantRequest
    private let entity: Entity
    private let parts: PipelineParts
    private let flight: Flight<Answer, PipelineError>
    private let completion: @Sendable () -> Void

    /// - Parameters:
    ///   - entity: what was answered.
    ///   - completion: called exactly once when it is over, whatever came of it.
    init(
        request: VariantRequest,
        entity: Entity,
        parts: PipelineParts,
        flight: Flight<Answer, PipelineError>,
        completion: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.entity = entity
        self.parts = parts
        self.flight = flight
        self.completion = completion
    }

    /// Names the flight: no request's.
    static func key(_ request: VariantRequest) -> CacheKey {
        CacheKey(hashing: "placeholder/1\n\(request.key)")
    }

    /// Starts with the original's bytes where they are at hand, else with what is stored of them.
    func start(with body: OriginBody?) {
        let origin = entity.origin.snapshot
        guard origin.record.digest == entity.originDigest else { return end() }
        if let placeholder = origin.record.placeholder {
            // Somebody else's request has brought it meanwhile.
            tell(placeholder, of: origin)
        } else if let body {
            compute(origin, body)
        } else if !parts.readLane.submit({ self.find(origin) }) {
            end()
        }
    }

    private func find(_ origin: OriginSnapshot) {
        guard case .file(let body)? = OriginalStore.find(request.origin, in: parts)?.content,
            body.digest == origin.record.digest
        else { return end() }
        compute(origin, body)
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
                guard let words = made.pictures.first, let placeholder = Placeholder(text: words.bytes) else {
                    return end()
                }
                learn(placeholder, of: origin)
            case .failure(let error):
                // What is wrong with the picture stays wrong.
                if error.traits.isPermanent { learn(.none, of: origin) } else { end() }
            }
        }
    }

    private func learn(_ placeholder: Placeholder, of origin: OriginSnapshot) {
        parts.learn(placeholder, of: origin, for: request.origin, in: flight)
        tell(placeholder, of: origin)
    }

    /// Puts what was answered in its own place again, with the placeholder.
    private func tell(_ placeholder: Placeholder, of origin: OriginSnapshot) {
        var description = entity.description
        description.hints?.placeholder = placeholder
        if case .memory = entity.body, request.keeps.keepInMemory, entity.isCurrent {
            var origin = origin
            origin.record.placeholder = placeholder
            _ = parts.entity(
                key: request.key,
                description: description,
                body: entity.body,
                origin: origin,
                ingredients: entity.ingredients,
                storable: parts.memory.value(for: request.key) === entity,
                of: flight
            )
        } else {
            parts.openFiles.remove(request.key)
        }
        end()
    }

    private func end() {
        flight.finish(.failure(.cancelled))
        completion()
    }
}

extension PipelineParts {
    /// Makes known what was computed of an original, and keeps it beside the original's record where there is one on disk.
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
