import HTTPSemantics
import HTTPCache
import ImagePlan
import LinuxSystem

/// Encodes a stored variant again in the background, and replaces it if that is smaller (SDWebImage: LowPriority).
///
/// Starts on any thread, continues on the read lane and ends on the transform pool. After any failure the variant stays. The task's
/// flight prevents it from publishing purged content.
final class ReplacementTask: Sendable {
    /// What replaces the variant.
    enum Goal {
        /// The AVIF in whose place WebP was served.
        case deferredAVIF
        /// The same format, encoded with more effort at an equal score.
        case recompression

        /// The kind of background work.
        var kind: BackgroundKind { self == .deferredAVIF ? .deferred : .recompression }
    }

    /// A stored variant.
    private struct Current {
        var entity: Entity
        var record: VariantRecord
    }

    /// What to make.
    private struct Order {
        /// The request's plan.
        var plan: String
        /// The effort of a second encoding; `nil` for none.
        var secondEffort: Int?
    }

    private let goal: Goal
    private let request: VariantRequest
    private let parts: PipelineParts
    private let originals: Originals
    private let flight: Flight<Answer, PipelineError>
    private let background: VariantBackground

    /// - Parameter background: pauses the variant if the task is abandoned.
    init(
        _ goal: Goal,
        request: VariantRequest,
        parts: PipelineParts,
        originals: Originals,
        flight: Flight<Answer, PipelineError>,
        background: VariantBackground
    ) {
        self.goal = goal
        self.request = request
        self.parts = parts
        self.originals = originals
        self.flight = flight
        self.background = background
    }

    /// Starts the task.
    func start() {
        if !parts.readLane.submit({ self.find(isSettled: false) }) { end(.abandoned) }
    }

    /// Looks up the stored variant and the original.
    ///
    /// - Parameter isSettled: whether earlier queued writes have reached the disk.
    private func find(isSettled: Bool) {
        let inMemory =
            request.keeps.keepInMemory
            ? MemoryVariantStage(memory: parts.memory).stale(request.key, now: parts.time.wallSeconds) : nil
        guard let entity = inMemory ?? DiskVariantStage(parts: parts).entity(for: request, of: flight),
            let record = entity.description.standIn?.record ?? parts.disk?.peek(variant: request.key)?.record
        else {
            guard !isSettled, let disk = parts.disk else { return end(nil) }
            disk.flush { [self] in
                if !parts.readLane.submit({ self.find(isSettled: true) }) { end(.abandoned) }
            }
            return
        }
        let current = Current(entity: entity, record: record)
        guard record.digest == entity.description.digest, let order = order(of: current) else { return end(nil) }
        ask(needsBody: !LosslessCopyStage(parts: parts).mayServe(request), order, current)
    }

    /// Returns what to make; `nil` if there is nothing to replace.
    private func order(of current: Current) -> Order? {
        guard let plan = request.plan else { return nil }
        switch goal {
        case .deferredAVIF: return current.entity.isStandIn ? Order(plan: plan) : nil
        case .recompression:
            return request.recompression(of: current.record).map { Order(plan: plan, secondEffort: $0) }
        }
    }

    /// Obtains the original, or its record if a lossless copy may replace it.
    ///
    private func ask(needsBody: Bool, _ order: Order, _ current: Current) {
        var context = LoadContext.background(.background)
        // What a client has already received in full is not worth a request to the origin.
        context.demand.onlyIfCached = goal == .recompression && !request.origin.source.isFolder
        _ = originals.join(
            request.origin,
            context,
            purpose: needsBody ? .body : .any,
            needsBody: needsBody
        ) { [self] result in
            guard let outcome = try? result.get(), outcome.body != nil || !needsBody, outcome.storable,
                outcome.origin.record.digest == current.entity.originDigest
            else { return end(.abandoned) }
            let isTaken = parts.readLane.submit { [self] in
                if let body = outcome.body { return make(order, of: outcome, body, in: current) }
                guard let copy = LosslessCopyStage(parts: parts).find(of: outcome.origin.record) else {
                    return ask(needsBody: true, order, current)
                }
                make(order, of: outcome, copy.body, copy, in: current)
            }
            if !isTaken { end(.abandoned) }
        }
    }

    /// Orders the picture, in a job of its own so that no request waits for it.
    ///
    /// An AVIF comes from the original or a stored mezzanine; recompression, which must not lose detail, from the original.
    /// - Parameters:
    ///   - copy: the lossless copy whose body it is; `nil` for the original's own.
    private func make(
        _ order: Order,
        of outcome: OriginOutcome,
        _ body: OriginBody,
        _ copy: MezzanineStage.Found? = nil,
        in current: Current
    ) {
        let resolved = request.plan.flatMap { ResolvedVariant(request, plan: $0, of: outcome.origin.record, with: []) }
        // Another request with the same result may have had it made.
        if let key = resolved?.key,
            let found = ResolvedStage(parts: parts).find(key, for: request, of: outcome.origin.record),
            goal == .deferredAVIF || found.record.isCompact, let bytes = found.body.copied()
        {
            let isKept = parts.replace(request, by: found.record, bytes, of: outcome.origin, in: flight)
            return end(!isKept ? .abandoned : found.record.format == wantedFormat(of: current) ? .swapped : .larger)
        }
        let mezzanine =
            goal == .deferredAVIF ? Mezzanine.smallest(for: order.plan, of: outcome.origin.record.header) : nil
        let transform = TransformOrder(
            request: request,
            plan: order.plan,
            outcome: outcome,
            body: body,
            copy: copy,
            context: .background(.background),
            mezzanine: mezzanine,
            // An AVIF that was not smaller left its WebP behind.
            bucket: goal == .recompression && current.record.format == .webp
                ? request.bucket.map { min($0, .webp) } : nil,
            secondEffort: order.secondEffort,
            publish: { _ in }
        ) { [self] result in
            switch result {
            case .success(let made): publish(made, resolved, outcome: outcome, in: current)
            // A timeout of work that gives way to all other work does not tell how long the image takes.
            case .failure(let error)
            where error.traits.isPermanent || (error == .transformTimeout && goal == .deferredAVIF):
                settle(.failed, resolved, outcome, current)
            case .failure: end(.abandoned)
            }
        }
        let source = mezzanine.flatMap { MezzanineStage(parts: parts).find($0, of: outcome.origin.record) }
        TransformGroup(parts: parts, orders: [transform], source: source ?? copy, ended: {}).start()
    }

    /// The format that replaces a variant.
    private func wantedFormat(of current: Current) -> ResultFormat {
        goal == .deferredAVIF ? .avif : current.record.format
    }

    private func publish(
        _ made: TransformResult,
        _ resolved: ResolvedVariant?,
        outcome: OriginOutcome,
        in current: Current
    ) {
        guard let picture = made.pictures.first, picture.description.format == wantedFormat(of: current),
            let plan = request.plan
        else {
            return settle(.failed, resolved, outcome, current)
        }
        guard picture.bytes.count < current.entity.body.length else {
            return settle(.larger, resolved, outcome, current)
        }
        var record = TransformStage.record(of: picture, request: request, plan: plan, origin: outcome.origin.record)
        if let resolved, resolved.isResult(picture.description) { record.resolved = resolved.key }
        record.isCompact = goal == .recompression
        guard parts.replace(request, by: record, picture.bytes, of: outcome.origin, in: flight) else {
            return end(.abandoned)
        }
        statistics.note(saved: current.entity.body.length - picture.bytes.count)
        end(.swapped)
    }

    /// Makes the stored variant permanent, so that it is not encoded again.
    private func settle(
        _ reason: DeferredStatistics.End,
        _ resolved: ResolvedVariant?,
        _ outcome: OriginOutcome,
        _ current: Current
    ) {
        var record = current.record
        guard let bytes = current.entity.body.copied() else { return end(.abandoned) }
        record.isStandIn = false
        record.isCompact = goal == .recompression
        if let resolved, resolved.isResult(record) { record.resolved = resolved.key }
        end(parts.replace(request, by: record, bytes, of: outcome.origin, in: flight) ? reason : .abandoned)
    }

    /// Ends the task.
    ///
    /// - Parameter end: `nil` if there was nothing to do.
    private func end(_ end: DeferredStatistics.End?) {
        // Paused before the flight ends, so that no request can queue the variant in between.
        if end == .abandoned { background.pause(goal.kind, request.key) }
        flight.finish(.failure(.cancelled))
        if let end { statistics.note(end) }
    }

    private var statistics: DeferredStatistics {
        goal == .deferredAVIF ? parts.deferrals : parts.recompressions
    }
}
