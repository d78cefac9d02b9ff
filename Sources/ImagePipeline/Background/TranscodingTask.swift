import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Makes the JPEG XL that stands for a bare JPEG original, and puts it in the place of the JPEG for clients that accept it.
///
/// Starts on any thread, continues on the read lane and ends on the transform pool. After any failure these clients get the JPEG, as
/// before. The task's flight prevents it from publishing purged content.
final class TranscodingTask: Sendable {
    private let request: VariantRequest
    /// The JPEG that clients get until then.
    private let entity: Entity
    private let parts: PipelineParts
    private let originals: Originals
    private let failed: FailedCopies
    private let flight: Flight<Answer, PipelineError>
    private let background: VariantBackground

    /// - Parameters:
    ///   - failed: what cannot be transcoded, by `failureKey`.
    ///   - background: pauses the original if the task is abandoned.
    init(
        _ entity: Entity,
        for request: VariantRequest,
        parts: PipelineParts,
        originals: Originals,
        failed: FailedCopies,
        flight: Flight<Answer, PipelineError>,
        background: VariantBackground
    ) {
        self.entity = entity
        self.request = request
        self.parts = parts
        self.originals = originals
        self.failed = failed
        self.flight = flight
        self.background = background
    }

    /// Whether a JPEG should be transcoded for a request that it has answered.
    static func isDue(_ entity: Entity, _ request: VariantRequest, in parts: PipelineParts) -> Bool {
        guard request.takesTranscoding, entity.format == .jpeg, !entity.isHotCopy, parts.tiers.writesDisk,
            request.keeps.keepOnDisk, request.origin.source.isFolder || request.origin.keeps.originals.keepOnDisk
        else { return false }
        let record = entity.origin.record
        return record.digest == entity.originDigest && isPossible(record, request)
    }

    private static func isPossible(_ record: OriginRecord, _ request: VariantRequest) -> Bool {
        !request.obeysNoTransform(of: record)
            && OriginalTranscoding.isPossible(for: record.header, isClean: request.plan != nil)
    }

    /// The key under which it is remembered that a body cannot be transcoded.
    static func failureKey(of request: VariantRequest, _ digest: CacheKey) -> CacheKey {
        CacheKey(hashing: "\(plan(of: request))\n\(digest)")
    }

    private static func plan(of request: VariantRequest) -> String {
        OriginalTranscoding.planText(isClean: request.plan != nil)
    }

    /// Starts the task.
    func start() {
        if !parts.readLane.submit({ self.find() }) { end(.abandoned) }
    }

    private func find() {
        if let stored = parts.disk?.peek(variant: request.key)?.record, stored.format == .picture(.jxl),
            stored.originDigest == entity.originDigest
        {
            // A request that had begun before has put the JPEG into memory after it.
            parts.memory.remove(request.key)
            return end(nil)
        }
        var context = LoadContext.background(.background)
        // What a client has already received in full is not worth a request to the origin.
        context.demand.onlyIfCached = !request.origin.source.isFolder
        _ = originals.join(request.origin, context, purpose: .body, needsBody: true) { [self] result in
            guard let outcome = try? result.get(), let body = outcome.body, outcome.storable,
                outcome.origin.record.digest == entity.originDigest, Self.isPossible(outcome.origin.record, request)
            else { return end(.abandoned) }
            order(of: outcome, body)
        }
    }

    private func order(of outcome: OriginOutcome, _ body: OriginBody) {
        let job = TransformStage.job(
            of: request.origin,
            outputs: [TransformStage.output(of: request, plan: Self.plan(of: request))],
            header: outcome.origin.record.header,
            body: body,
            priority: parts.transformer.hasBackground ? .background : .low
        )
        _ = parts.transformer.transform(job) { [self] result in
            switch result {
            case .success(let made): publish(made, outcome)
            // A timeout of work that gives way to all other work does not tell how long the image takes, but that it takes long.
            case .failure(let error) where error.traits.isPermanent || error == .transformTimeout: giveUp(.failed)
            case .failure: end(.abandoned)
            }
        }
    }

    private func publish(_ made: TransformResult, _ outcome: OriginOutcome) {
        guard let picture = made.pictures.first, picture.description.format == .picture(.jxl) else {
            return giveUp(.failed)
        }
        guard picture.bytes.count < entity.body.length else { return giveUp(.larger) }
        let record = TransformStage.record(
            of: picture,
            request: request,
            plan: Self.plan(of: request),
            origin: outcome.origin.record
        )
        guard parts.replace(request, by: record, picture.bytes, of: outcome.origin, in: flight) else {
            return end(.abandoned)
        }
        parts.recompressions.note(saved: entity.body.length - picture.bytes.count)
        end(.swapped)
    }

    private func giveUp(_ end: DeferredStatistics.End) {
        failed.insert(Self.failureKey(of: request, entity.originDigest))
        self.end(end)
    }

    /// Ends the task.
    ///
    /// - Parameter end: `nil` if there was nothing to do.
    private func end(_ end: DeferredStatistics.End?) {
        // Paused before the flight ends, so that no request can queue the original in between.
        if end == .abandoned { background.pause(.transcoding, request.key) }
        flight.finish(.failure(.cancelled))
        if let end { parts.recompressions.note(end) }
    }
}
