import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Stage 3: makes one variant for all requests that share the flight.
///
/// A state machine of callbacks: disk look-up → original → transform → publication. Each step runs on the thread that completed
/// the previous one (read lane, transfer thread, transform pool).
final class VariantTask: Sendable {
    let request: VariantRequest
    /// The context of the first request, with the clients and the latest deadline of all.
    let context: LoadContext
    let pipeline: Pipeline
    let flight: Flight<Answer, PipelineError>
    /// A stale variant that is served if there is no room to make the current one.
    let lastResort = Lock<Entity?>(nil)
    let step = Lock(Step())
    /// The place in the log of purges when the flight began.
    let place: SharedPlace

    var parts: PipelineParts { pipeline.parts }

    /// The current step, and how it follows the clients that wait.
    struct Step: Sendable {
        var number = 0
        var giveUp: (@Sendable () -> Void)?
        /// Adapts its place in its queue to the clients that wait.
        var follow: (@Sendable () -> Void)?
        /// The remembered failure that the task probes, besides that of its key.
        var probe: CacheKey?
        /// Whether a mezzanine was useless, so that only the original will do.
        var avoidsMezzanines = false
    }

    /// - Parameter pipeline: kept until the task has ended.
    init(_ request: VariantRequest, _ context: LoadContext, pipeline: Pipeline, flight: Flight<Answer, PipelineError>) {
        self.request = context.demand.noStore ? request.withoutStorage : request
        var context = context
        context.deadline = flight.deadline
        context.claims = flight.claims
        self.context = context
        self.pipeline = pipeline
        self.flight = flight
        place = pipeline.parts.shared?.place ?? SharedPlace()
    }

    /// Starts with a stale entity from memory, if there is one.
    func start(stale: Entity?) {
        flight.onChange { [self] in
            let follow = step.withLock { $0.follow }
            follow?()
        }
        flight.onAbandon(
            unless: { [request] in request.origin.source.continues == .always && request.keeps != .none },
            cancel: { [self] in
                endProbes()
                let giveUp = step.withLock { step in
                    defer { step.giveUp = nil }
                    return step.giveUp
                }
                giveUp?()
            }
        )
        flight.enter(.disk)
        if let stale {
            use(stale, from: .memory)
        } else if !mayLookUp {
            askForOriginal()
        } else if !parts.readLane.submit({ self.lookUp() }) {
            end(.failure(.diskQueueFull))
        }
    }

    /// Whether the variant, or before an owner is asked the bare original, may be on disk.
    private var mayLookUp: Bool {
        if request.plan == nil, context.question != nil { return true }
        return request.mayBeVariant && parts.disk != nil && request.tiers.keepOnDisk
    }

    private func lookUp() {
        guard !context.deadline.isPast(at: parts.time.monotonic) else {
            end(.failure(.diskWaitTooLong))
            return
        }
        guard let entity = DiskVariantStage(parts: parts).entity(for: request, of: flight) else {
            askForOriginal()
            return
        }
        use(entity, from: .disk)
    }

    /// Serves a stored variant if allowed, otherwise contacts the origin.
    private func use(_ entity: Entity, from tier: CacheStatus.Tier) {
        let now = parts.time.wallSeconds
        let isFresh = entity.isFresh(at: now)
        let demand = context.demand
        if demand != .none, entity.isAccepted(at: now, by: request, demand),
            isFresh || parts.failures.allowStale(request, for: context.caller)
        {
            finish(entity, .hit(isFresh ? tier : .stale), StageTimings())
        } else if demand == .none, isFresh {
            finish(entity, .hit(tier), StageTimings())
        } else if demand == .none, !context.isRefresh, entity.mayBeUsedWhileRevalidating(at: now, by: request),
            parts.failures.allowStale(request, for: context.caller)
        {
            finish(entity, .hit(.stale), StageTimings())
            pipeline.refresh(request)
        } else {
            revalidate(entity, from: tier)
        }
    }

    /// Validates a stored variant's original (RFC 9111 §4.3), for which its bytes are not needed.
    private func revalidate(_ entity: Entity, from tier: CacheStatus.Tier) {
        keepAsLastResort(entity)
        let otherwise: @Sendable (PipelineError) -> Void = { [self] error in
            if error.isOverload, lastResort.withLock({ $0 != nil }) { return end(.failure(error)) }
            // stale-if-error (RFC 5861 §4), where the original's flight could not decide it.
            if error.allowsStale, context.demand.onlyIfCached || !context.demand.isStrict,
                entity.mayBeUsedIfError(at: parts.time.wallSeconds, by: request)
                    || error.traits.isDisconnection && entity.mayBeUsedIfDisconnected(by: request)
            {
                finish(entity, .hit(.stale), StageTimings())
            } else {
                end(.failure(error))
            }
        }
        joinOriginal(needsBody: false, otherwise: otherwise) { [self] outcome in
            let record = outcome.origin.record
            guard entity.originDigest == record.digest,
                request.plan == nil || entity.description.passReason == request.reasonToPass(record)
            else {
                make(of: outcome)
                return
            }
            let status = outcome.status.ofFailure
            gather(needsBodies: false, otherwise: { otherwise(.after(status, $0)) }) { [self] auxiliaries in
                confirm(entity, by: outcome, auxiliaries, from: tier)
            }
        }
    }

    /// Serves a stored variant with a valid original, unless an auxiliary image has changed.
    private func confirm(
        _ entity: Entity,
        by outcome: OriginOutcome,
        _ auxiliaries: [OriginOutcome],
        from tier: CacheStatus.Tier
    ) {
        guard entity.auxiliaries.map(\.digest) == auxiliaries.map(\.origin.record.digest) else {
            make(of: outcome)
            return
        }
        let states = [outcome.origin.state] + auxiliaries.map(\.origin.state)
        let isCurrent =
            entity.isCurrent && ([entity.origin] + entity.auxiliaries.map(\.state)).elementsEqual(states, by: ===)
        let joined = outcome.joined(by: auxiliaries)
        let current = isCurrent ? entity : renewed(entity, after: joined, auxiliaries)
        let status = joined.isStored ? CacheStatus.hit(tier) : joined.status
        let isBrownout = outcome.isOverload && request.origin.source.brownout.isOn
        finish(current, status, StageTimings(of: joined), rung: isBrownout ? .stale : nil)
    }

    /// Fetches the plan's auxiliary images; continues immediately if there are none.
    func gather(
        needsBodies: Bool,
        otherwise: (@Sendable (PipelineError) -> Void)? = nil,
        then: @escaping @Sendable ([OriginOutcome]) -> Void
    ) {
        guard !request.auxiliaries.isEmpty else { return then([]) }
        guard !flight.isOver else { return }
        let number = begin()
        let stage = AuxiliaryStage(
            request.auxiliaries,
            currentContext,
            needsBodies: needsBodies,
            originals: pipeline.originals
        ) { [self] result in
            switch result {
            case .success(let outcomes): then(outcomes)
            case .failure(let error): if let otherwise { otherwise(error) } else { end(.failure(error)) }
            }
        }
        stage.start()
        remember(number) {
            stage.cancel()
        } follow: {
            stage.waitersChanged()
        }
    }

    /// Returns an entity with the same bytes and the metadata of the validated original.
    private func renewed(_ entity: Entity, after outcome: OriginOutcome, _ auxiliaries: [OriginOutcome]) -> Entity {
        var description = entity.description
        let isDated = description.standIn == nil && !description.isTranscoded
        description.lastModified = isDated ? outcome.origin.record.lastModified : nil
        description.cacheControl = outcome.origin.record.downstreamCacheControl
        description.advertisedLifetime = outcome.origin.record.advertisedLifetime
        description.hints = OriginalHints(outcome.origin.record, for: request.origin.source)
        description.restrict(toStrictestOf: auxiliaries.map(\.origin.record), origin: outcome.origin.record)
        let renewed = parts.entity(
            key: request.key,
            description: description,
            stored: entity.body,
            origin: outcome.origin,
            auxiliaries: auxiliaries.map { AuxiliaryUse($0.origin) },
            facts: entity.facts,
            // Found in memory or on disk.
            storable: outcome.storable && tiers.keepInMemory && parts.tiers.promotes,
            of: flight
        )
        return renewed ?? entity
    }

    /// Makes the variant of the original, which is downloaded if it is not stored.
    func makeHere() {
        guard !flight.isOver else { return }
        if let refusal = refusalBeforeDownload() { return end(.failure(refusal)) }
        // A copy or a stored result replaces the body, and the joined flight may have checked freshness only.
        let mayDoWithout = LosslessCopyStage(parts: parts).mayServe(request) || mayUseSharedResults
        joinOriginal(needsBody: !mayDoWithout, unless: { self.hasMezzanine(of: $0) }, isJudged: true) {
            [self] outcome in
            useSharedResult(of: outcome) { self.make(of: outcome) }
        }
    }

    /// - Parameters:
    ///   - isReplaced: as for `Originals.join`.
    ///   - isJudged: whether the original is judged while it arrives.
    func joinOriginal(
        for purpose: Originals.Purpose = .any,
        needsBody: Bool,
        unless isReplaced: (@Sendable (OriginRecord) -> Bool)? = nil,
        isJudged: Bool = false,
        otherwise: (@Sendable (PipelineError) -> Void)? = nil,
        then: @escaping @Sendable (OriginOutcome) -> Void
    ) {
        guard !flight.isOver else { return }
        let otherwise = otherwise ?? { [self] in end(.failure($0)) }
        // Later requests receive the remembered failure instead of waiting for this retry.
        if parts.failures.isProbed(request.origin.failureKey(for: context.caller)) { flight.detach() }
        flight.enter(.original)
        let number = begin()
        var arrival: (@Sendable (Originals.Arrival) -> Void)?
        if isJudged { arrival = { [self] in judge($0) } }
        let subscription = pipeline.originals.join(
            request.origin,
            currentContext,
            purpose: purpose,
            needsBody: needsBody,
            unless: isReplaced,
            arrival: arrival
        ) { result in
            switch result {
            case .success(let outcome): then(outcome)
            case .failure(let error): otherwise(error)
            }
        }
        remember(number) {
            subscription.cancel()
        } follow: {
            subscription.waitersChanged()
        }
    }

    /// Judges an original by its header, while its content is arriving.
    ///
    /// The bare original is passed to the waiting requests as it arrives. A plan that the header refuses fails at once; if no
    /// other request needs the original, its download ends.
    private func judge(_ arrival: Originals.Arrival) {
        guard !flight.isOver, let arriving = ArrivingOriginal(arrival, of: request) else { return }
        let header = arriving.record.header
        if request.plan == nil || request.reasonToPass(arriving.record) != nil {
            guard HeaderGate.refusal(of: header.format, source: request.origin.source) == nil else { return }
            flight.announce(Answer(entity: arriving.entity(for: request, parts), status: arrival.status))
        } else if let plan = request.plan,
            let refusal = HeaderGate.refusal(of: header, plan: plan, source: request.origin.source)
                ?? OutputGate.refusal(of: header, plan: plan, for: request)
        {
            let giveUp = step.withLock { $0.giveUp.take() }
            fail(refusal, arrival.status.ofFailure)
            giveUp?()
        }
    }

    /// - Parameter copy: the lossless copy or the mezzanine whose body it is; `nil` for the original's own.
    func make(of outcome: OriginOutcome, _ body: OriginBody, copy: MezzanineStage.Found? = nil) {
        guard !flight.isOver else { return }
        let header = outcome.origin.record.header
        if let refusal = HeaderGate.refusal(of: header.format, source: request.origin.source) {
            fail(refusal, outcome.status.ofFailure)
            return
        }
        guard let plan = request.plan else {
            finishBare(outcome, body: body)
            return
        }
        guard request.reasonToPass(outcome.origin.record) == nil else {
            finishBare(outcome, body: body)
            return
        }
        let refusal =
            HeaderGate.refusal(of: header, plan: plan, source: request.origin.source)
            ?? OutputGate.refusal(of: header, plan: plan, for: request)
        if let refusal {
            fail(refusal, outcome.status.ofFailure)
            return
        }
        let otherwise: @Sendable (PipelineError) -> Void = { [self] error in
            end(.failure(.after(outcome.status.ofFailure, error)))
        }
        gather(needsBodies: true, otherwise: otherwise) { [self] auxiliaries in
            transform(outcome, body, copy, by: plan, auxiliaries)
        }
    }

    private func transform(
        _ origin: OriginOutcome,
        _ body: OriginBody,
        _ copy: MezzanineStage.Found?,
        by plan: String,
        _ auxiliaries: [OriginOutcome]
    ) {
        guard !flight.isOver else { return }
        let outcome = origin.joined(by: auxiliaries)
        var timing = AVIFTiming(of: request, plan: plan, outcome, parts)
        if context.isWarming, timing == .later { timing = .atOnce }
        let cost = WorkClass(
            of: request,
            plan: plan,
            header: outcome.origin.record.header,
            bucket: timing.bucket(for: request)
        )
        guard admits(cost) else { return }
        flight.enter(.transform)
        makeOnce(
            Work(
                plan: plan,
                outcome: outcome,
                body: body,
                copy: copy,
                auxiliaries: auxiliaries,
                timing: timing,
                cost: cost,
                delivery: origin.delivery,
                resolved: ResolvedVariant(
                    request,
                    plan: plan,
                    of: outcome.origin.record,
                    with: auxiliaries.map(\.origin.record)
                )
            )
        )
    }

    /// The tiers that may store the result.
    var tiers: CacheTiers { request.keeps }

    /// The context with the most urgent priority of all requests that share the flight.
    var currentContext: LoadContext {
        var current = context
        current.priority = max(context.priority, flight.priority)
        return current
    }

    /// Begins the next step, and returns its number.
    func begin() -> Int {
        step.withLock { step in
            step.number += 1
            step.giveUp = nil
            step.follow = nil
            return step.number
        }
    }

    /// Sets how to cancel a step, and how it follows the clients that wait, unless another thread has begun the next one.
    func remember(
        _ number: Int,
        _ giveUp: @escaping @Sendable () -> Void,
        follow: @escaping @Sendable () -> Void = {}
    ) {
        step.withLock { step in
            guard step.number == number else { return }
            step.giveUp = giveUp
            step.follow = follow
        }
        // Clients may have joined or left while the step was starting.
        if flight.hasChanged { follow() }
        // Abandoned while the step was starting, so cancel it here.
        if flight.isOver { giveUp() }
    }
}
