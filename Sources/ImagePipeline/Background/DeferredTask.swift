import HTTPSemantics
import HTTPCache
import ImagePlan
import LinuxSystem

/// Makes a variant's AVIF after WebP was served in its place, and replaces the WebP (SDWebImage: LowPriority).
///
/// Starts on any thread, continues on the read lane and ends on the transform pool. After any failure the WebP stays. The task's
/// flight prevents it from publishing purged content.
final class DeferredTask: Sendable {
    private let request: VariantRequest
    private let parts: PipelineParts
    private let originals: Originals
    private let flight: Flight<Answer, PipelineError>
    private let background: VariantBackground

    /// - Parameter background: pauses the variant if the task is abandoned.
    init(
        request: VariantRequest,
        parts: PipelineParts,
        originals: Originals,
        flight: Flight<Answer, PipelineError>,
        background: VariantBackground
    ) {
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

    /// Looks up the stand-in and the original.
    ///
    /// - Parameter isSettled: whether earlier queued writes have reached the disk.
    private func find(isSettled: Bool) {
        let inMemory =
            request.keeps.keepInMemory
            ? MemoryVariantStage(memory: parts.memory).stale(request.key, now: parts.time.wallSeconds) : nil
        guard let standIn = inMemory ?? DiskVariantStage(parts: parts).entity(for: request, of: flight) else {
            guard !isSettled, let disk = parts.disk else { return end(nil) }
            disk.flush { [self] in
                if !parts.readLane.submit({ self.find(isSettled: true) }) { end(.abandoned) }
            }
            return
        }
        guard standIn.isStandIn, let plan = request.plan else { return end(nil) }
        ask(needsBody: !LosslessCopyStage(parts: parts).mayServe(request), plan, standIn)
    }

    /// Obtains the original, or its record if a lossless copy may replace it.
    private func ask(needsBody: Bool, _ plan: String, _ standIn: Entity) {
        _ = originals.join(
            request.origin,
            .background(.background),
            purpose: needsBody ? .body : .any,
            needsBody: needsBody
        ) { [self] result in
            guard let outcome = try? result.get(), outcome.body != nil || !needsBody, outcome.storable,
                outcome.origin.record.digest == standIn.originDigest
            else { return end(.abandoned) }
            let isTaken = parts.readLane.submit { [self] in
                if let body = outcome.body { return make(of: outcome, body, plan: plan, in: standIn) }
                guard let copy = LosslessCopyStage(parts: parts).find(of: outcome.origin.record) else {
                    return ask(needsBody: true, plan, standIn)
                }
                make(of: outcome, copy.body, copy, plan: plan, in: standIn)
            }
            if !isTaken { end(.abandoned) }
        }
    }

    /// Orders the AVIF from the original or a stored mezzanine, in a job of its own so that no request waits for it.
    ///
    /// - Parameter copy: the lossless copy whose body it is; `nil` for the original's own.
    private func make(
        of outcome: OriginOutcome,
        _ body: OriginBody,
        _ copy: MezzanineStage.Found? = nil,
        plan: String,
        in standIn: Entity
    ) {
        let header = outcome.origin.record.header
        let resolved = ResolvedVariant(request, plan: plan, of: outcome.origin.record, with: [])
        let stage = ResolvedStage(parts: parts)
        // Another request with the same result may have had it made.
        if let found = resolved.flatMap({ stage.find($0.key, for: request, of: outcome.origin.record) }),
            let bytes = found.body.copied()
        {
            let isKept = keep(found.record, bytes, outcome, in: standIn)
            return end(!isKept ? .abandoned : found.record.format == .avif ? .swapped : .larger)
        }
        let mezzanine = Mezzanine.smallest(for: plan, of: header)
        let order = TransformOrder(
            request: request,
            plan: plan,
            outcome: outcome,
            body: body,
            copy: copy,
            context: .background(.background),
            mezzanine: mezzanine,
            publish: { _ in }
        ) { [self] result in
            switch result {
            case .success(let made): publish(made, plan: plan, resolved, outcome: outcome, in: standIn)
            case .failure(let error) where error.traits.isPermanent || error == .transformTimeout:
                settle(.failed, resolved, outcome, standIn)
            case .failure: end(.abandoned)
            }
        }
        let source = mezzanine.flatMap { MezzanineStage(parts: parts).find($0, of: outcome.origin.record) }
        TransformGroup(parts: parts, orders: [order], source: source ?? copy, extra: nil, ended: {}).start()
    }

    private func publish(
        _ made: TransformResult,
        plan: String,
        _ resolved: ResolvedVariant?,
        outcome: OriginOutcome,
        in standIn: Entity
    ) {
        guard let picture = made.pictures.first, picture.description.format == .avif else {
            return settle(.failed, resolved, outcome, standIn)
        }
        guard picture.bytes.count < standIn.body.length else {
            return settle(.larger, resolved, outcome, standIn)
        }
        var record = TransformStage.record(of: picture, request: request, plan: plan, origin: outcome.origin.record)
        if let resolved, resolved.isResult(picture.description) { record.resolved = resolved.key }
        end(keep(record, picture.bytes, outcome, in: standIn) ? .swapped : .abandoned)
    }

    /// Makes the WebP permanent.
    private func settle(
        _ reason: DeferredStatistics.End,
        _ resolved: ResolvedVariant?,
        _ outcome: OriginOutcome,
        _ standIn: Entity
    ) {
        guard var record = standIn.description.standIn?.record, let bytes = standIn.body.copied() else {
            return end(.abandoned)
        }
        record.isStandIn = false
        if let resolved, resolved.isResult(record) { record.resolved = resolved.key }
        end(keep(record, bytes, outcome, in: standIn) ? reason : .abandoned)
    }

    /// Replaces the stand-in in memory and on disk; false if it was purged or the original has changed.
    private func keep(_ record: VariantRecord, _ bytes: [UInt8], _ outcome: OriginOutcome, in standIn: Entity) -> Bool {
        let origin = outcome.origin
        let description = EntityDescription(record, origin: origin.record, for: request)
        let isInMemory =
            request.keeps.keepInMemory && parts.tiers.fillsMemory && bytes.count <= parts.memoryObject
        let scope = BodyScope(of: origin.record)
        let lease = isInMemory ? parts.bodies.lease(bytes, digest: record.digest, for: request.key, in: scope) : nil
        let entity = Entity(
            description: description,
            body: .memory(bytes),
            origin: origin,
            fields: parts.presentation(description),
            subject: flight.subject,
            lease: lease,
            facts: VariantFacts(record)
        )
        let isKept = flight.publish(of: origin.record) {
            guard origin.state.record.digest == standIn.originDigest else { return false }
            if isInMemory {
                parts.bodies.insert(entity, for: request.key, of: origin.record, in: parts.memory)
            } else {
                parts.memory.remove(request.key)
            }
            parts.openFiles.remove(request.key)
            if request.keeps.keepOnDisk {
                parts.disk?.store(variant: record, origin: origin.record, bytes: bytes)
            }
            return true
        }
        if isKept != true { parts.bodies.release(entity, in: parts.memory) }
        return isKept ?? false
    }

    /// Ends the task.
    ///
    /// - Parameter end: `nil` if there was nothing to do.
    private func end(_ end: DeferredStatistics.End?) {
        // Paused before the flight ends, so that no request can queue the variant in between.
        if end == .abandoned { background.pause(.deferred, request.key) }
        flight.finish(.failure(.cancelled))
        if let end { parts.deferrals.note(end) }
    }
}

extension Entity.Body {
    /// Returns a copy of the bytes; `nil` if the file cannot be read.
    fileprivate func copied() -> [UInt8]? {
        switch self {
        case .memory(let bytes): bytes
        case .file(let file, let length): file.read(count: length)
        case .growing: nil
        }
    }
}
