import ImagePlan
import LinuxSystem

/// Stage 3: the making of one variant, shared by all who ask for it.
///
/// A state machine of callbacks: disk look-up → original → transform → publication. Each step runs on the thread that ended the
/// one before (read lane, transfer thread, transform pool).
final class VariantTask: Sendable {
    private let request: VariantRequest
    private let priority: TransformJob.Priority
    private let traceparent: String?
    private let parts: PipelineParts
    private let originals: TaskPool<OriginOutcome>
    private let flight: Flight<Answer>
    private let step = Lock(Step())

    /// The step that is under way, and how to give it up.
    private struct Step: Sendable {
        var number = 0
        var giveUp: (@Sendable () -> Void)?
    }

    init(
        request: VariantRequest,
        priority: TransformJob.Priority,
        traceparent: String?,
        parts: PipelineParts,
        originals: TaskPool<OriginOutcome>,
        flight: Flight<Answer>
    ) {
        self.request = request
        self.priority = priority
        self.traceparent = traceparent
        self.parts = parts
        self.originals = originals
        self.flight = flight
    }

    /// Starts with what memory has, if it has something.
    func start(stale: Entity?) {
        flight.onAbandon(
            unless: { false },
            cancel: { [self] in
                let giveUp = step.withLock { step in
                    defer { step.giveUp = nil }
                    return step.giveUp
                }
                giveUp?()
            }
        )
        if let stale {
            revalidate(stale, from: .memory)
        } else if request.plan == nil || parts.disk == nil || !tiers.keepOnDisk {
            askForOriginal()
        } else if !parts.readLane.submit({ self.lookUp() }) {
            flight.finish(.failure(.overloaded("too many requests wait for the disk")))
        }
    }

    private func lookUp() {
        guard let entity = DiskVariantStage(parts: parts).entity(for: request, of: flight) else {
            askForOriginal()
            return
        }
        guard entity.origin.isFresh(at: parts.time.wallSeconds) else {
            revalidate(entity, from: .disk)
            return
        }
        flight.finish(.success(Answer(entity: entity, provenance: .disk)))
    }

    /// Asks the origin whether a stored variant's original still stands (RFC 9111 §4.3); the original's bytes are not needed for that.
    private func revalidate(_ entity: Entity, from tier: Provenance) {
        joinOriginal(needsBody: false) { [self] outcome, collapsed in
            guard entity.originDigest == outcome.origin.record.digest else {
                if outcome.body == nil { askForBody() } else { make(of: outcome, collapsed: collapsed) }
                return
            }
            let isCurrent = entity.isCurrent && entity.origin === outcome.origin.state
            let current = isCurrent ? entity : renewed(entity, after: outcome)
            let provenance = outcome.provenance(collapsed: collapsed, stored: tier)
            finish(current, provenance, StageTimings(fetch: outcome.fetchMicroseconds))
        }
    }

    /// The same bytes under an origin's new words.
    private func renewed(_ entity: Entity, after outcome: OriginOutcome) -> Entity {
        var description = entity.description
        description.lastModified = outcome.origin.record.lastModified
        description.cacheControl = outcome.origin.record.cacheControl
        description.advertisedLifetime = outcome.origin.record.advertisedLifetime
        return parts.entity(
            key: request.key,
            description: description,
            body: entity.body,
            origin: outcome.origin,
            storable: outcome.storable && tiers.keepInMemory,
            of: flight
        )
    }

    private func askForOriginal() {
        joinOriginal(needsBody: true) { [self] outcome, collapsed in
            // A joined flight may have asked about freshness only.
            if outcome.body == nil { askForBody() } else { make(of: outcome, collapsed: collapsed) }
        }
    }

    /// Asks among those alone who need the bytes: however many ask about freshness meanwhile, this one gets them.
    private func askForBody() {
        joinOriginal(request.origin.bodyKey, needsBody: true) { [self] in make(of: $0, collapsed: $1) }
    }

    private func joinOriginal(
        _ key: CacheKey? = nil,
        needsBody: Bool,
        then: @escaping @Sendable (OriginOutcome, Bool) -> Void
    ) {
        guard !flight.isOver else { return }
        let number = begin()
        let subscription = originals.join(key ?? request.origin.key, about: FlightSubject(request.origin)) {
            [self] result, collapsed in
            switch result {
            case .success(let outcome): then(outcome, collapsed)
            case .failure(let error): flight.finish(.failure(error))
            }
        } start: { flight in
            OriginTask(
                request: request.origin,
                needsBody: needsBody,
                traceparent: traceparent,
                parts: parts,
                flight: flight
            )
            .start()
        }
        remember(number) { subscription.cancel() }
    }

    private func make(of outcome: OriginOutcome, collapsed: Bool) {
        guard !flight.isOver else { return }
        guard let body = outcome.body else {
            flight.finish(.failure(.originProtocol("the original was not delivered")))
            return
        }
        guard let plan = request.plan else {
            finishBare(outcome, body: body, collapsed: collapsed)
            return
        }
        if let refusal = HeaderGate.refusal(of: outcome.origin.record.header, limits: request.origin.source.limits) {
            flight.finish(.failure(refusal))
            return
        }
        let job = TransformStage.job(
            request: request,
            plan: plan,
            header: outcome.origin.record.header,
            body: body,
            priority: priority
        )
        let number = begin()
        let handle = parts.transformer.transform(job) { [self] result in
            switch result {
            case .success(let made): publish(made, plan: plan, outcome: outcome, collapsed: collapsed)
            case .failure(let error): flight.finish(.failure(error))
            }
        }
        remember(number) { handle.cancel() }
    }

    private func finishBare(_ outcome: OriginOutcome, body: OriginBody, collapsed: Bool) {
        let description = EntityDescription(
            mediaType: outcome.origin.record.header.format.mediaType,
            digest: body.digest,
            length: body.length,
            origin: outcome.origin.record,
            variesOnAccept: false
        )
        let entity = parts.entity(
            key: request.key,
            description: description,
            file: body.file,
            origin: outcome.origin,
            storable: outcome.storable && tiers.keepInMemory,
            of: flight
        )
        guard let entity else {
            flight.finish(.failure(.originProtocol("the original was lost while it was read")))
            return
        }
        finish(
            entity,
            outcome.provenance(collapsed: collapsed, stored: .disk),
            StageTimings(fetch: outcome.fetchMicroseconds)
        )
    }

    private func publish(_ made: TransformResult, plan: String, outcome: OriginOutcome, collapsed: Bool) {
        guard let picture = made.pictures.first else {
            flight.finish(.failure(.workerLost))
            return
        }
        let record = TransformStage.record(of: picture, request: request, plan: plan, origin: outcome.origin.record)
        let entity = parts.entity(
            key: request.key,
            description: EntityDescription(
                mediaType: record.format.mediaType,
                digest: record.digest,
                length: record.length,
                origin: outcome.origin.record,
                variesOnAccept: request.bucket != nil
            ),
            body: .memory(picture.bytes),
            origin: outcome.origin,
            storable: outcome.storable && tiers.keepInMemory && picture.bytes.count <= parts.memoryObject,
            of: flight
        )
        if outcome.storable, tiers.keepOnDisk {
            _ = flight.publish {
                parts.disk?.store(variant: record, origin: outcome.origin.record, bytes: picture.bytes)
            }
        }
        var timings = StageTimings(fetch: outcome.fetchMicroseconds)
        timings.queue = made.queued
        timings.decode = made.timing.decode
        timings.transform = made.timing.transform
        timings.encode = made.timing.encode
        finish(entity, outcome.provenance(collapsed: collapsed, stored: .original), timings)
    }

    private func finish(_ entity: Entity, _ provenance: Provenance, _ timings: StageTimings) {
        flight.finish(.success(Answer(entity: entity, provenance: provenance, timings: timings)))
    }

    /// Which tiers may keep the result.
    private var tiers: CacheTiers { request.origin.source.cache }

    private func begin() -> Int {
        step.withLock { step in
            step.number += 1
            step.giveUp = nil
            return step.number
        }
    }

    /// Says how to give up a step that was begun, unless the next one has begun meanwhile on another thread.
    private func remember(_ number: Int, _ giveUp: @escaping @Sendable () -> Void) {
        step.withLock { step in
            if step.number == number { step.giveUp = giveUp }
        }
        // Abandoned while the step was being started: nobody else will end it.
        if flight.isOver { giveUp() }
    }
}
