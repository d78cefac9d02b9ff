import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// The results of a variant task: a new variant, the bare original, a stored variant, or a failure.
extension VariantTask {
    /// Ends with a failure to make a variant of an available original.
    ///
    /// It is remembered for this variant only. One that depends on the cost is remembered for all work on the original that costs at
    /// least as much, except for presets.
    ///
    /// - Parameters:
    ///   - status: how the original was obtained.
    ///   - cost: the class of the work; `nil` if there was none.
    func fail(_ failure: PipelineError, _ status: CacheStatus, cost: WorkClass? = nil) {
        let error = failure.concealed(by: request.origin.source)
        if !request.origin.keepsNothing, request.origin.source.negative {
            let cost = error.traits.isCostDependent ? cost : nil
            _ = flight.publish {
                parts.failures.record(
                    cost?.failureKey(of: request.origin.key) ?? request.key,
                    error,
                    of: request.origin,
                    plan: request.plan,
                    work: cost,
                    auxiliaries: request.auxiliaries.map { PurgeSubject($0.origin) }
                )
            }
        }
        end(.failure(.after(status, error)))
    }

    /// Ends with the original's own bytes.
    func finishBare(_ outcome: OriginOutcome, body: OriginBody) {
        var description = EntityDescription(
            mediaType: outcome.origin.record.mediaType,
            digest: body.digest,
            length: body.length,
            origin: outcome.origin.record,
            of: request.origin.source,
            animation: request.animation(of: outcome.origin.record.header, in: nil)
        )
        description.passReason = request.reasonToPass(outcome.origin.record)
        description.isSandboxed = outcome.origin.record.header.format == .other
        description.contentCoding = outcome.origin.record.header.format.contentCoding
        let entity = parts.entity(
            key: request.key,
            description: description,
            file: body.file,
            origin: outcome.origin,
            storable: outcome.storable && tiers.keepInMemory
                && (outcome.isStored ? parts.tiers.promotes : parts.tiers.fillsMemory),
            of: flight
        )
        guard let entity else {
            end(.failure(.originProtocol("the original could not be read")))
            return
        }
        if outcome.storable, outcome.origin.record.header.format == .jpeg {
            pipeline.copyLosslessly(outcome.origin.record, of: request)
        }
        finish(
            entity,
            outcome.status == .hit(.original) ? .hit(.disk) : outcome.status,
            StageTimings(of: outcome),
            // Without storage, a placeholder would not be used again.
            body: outcome.storable ? body : nil
        )
    }

    /// Ends with a new variant, which is stored.
    ///
    /// - Parameter resolved: the resolved key, if other requests with that key may use it.
    func publish(_ made: TransformResult, _ work: Work, resolved: CacheKey?) {
        let start = parts.time.monotonic
        var outcome = work.outcome
        parts.failures.forget(request.key)
        parts.failures.forget(work.cost, on: request.origin.key)
        guard let picture = made.pictures.first else {
            end(.failure(.workerLost))
            return
        }
        let placeholder = TransformStage.placeholder(of: made)
        if let placeholder { outcome.origin.record.placeholder = placeholder }
        var record = TransformStage.record(
            of: picture,
            request: request,
            plan: work.plan,
            origin: outcome.origin.record
        )
        record.isStandIn = work.timing == .later && record.format == .webp
        record.resolved = record.isStandIn ? nil : resolved
        if record.isStandIn { parts.deferrals.noteMade() }
        let others = work.auxiliaries.map(\.origin.record)
        record.auxiliaries = others.map { VariantRecord.Auxiliary(key: $0.key, digest: $0.digest) }
        var description = EntityDescription(record, origin: outcome.origin.record, for: request)
        description.restrict(toStrictestOf: others, origin: outcome.origin.record)
        let entity = parts.entity(
            key: request.key,
            description: description,
            body: .memory(picture.bytes),
            origin: outcome.origin,
            auxiliaries: work.auxiliaries.map { AuxiliaryUse($0.origin) },
            facts: VariantFacts(record),
            storable: outcome.storable && tiers.keepInMemory && parts.tiers.fillsMemory
                && picture.bytes.count <= parts.memoryObject,
            of: flight
        )
        if outcome.storable, tiers.keepOnDisk {
            _ = flight.publish(of: outcome.origin.record) { [record] in
                parts.disk?.store(
                    variant: record,
                    origin: outcome.origin.record,
                    auxiliaries: others,
                    bytes: picture.bytes
                )
                share(record, outcome.origin.record.placeholder, picture.bytes, made, work)
            }
        }
        if outcome.storable, work.copy == nil { pipeline.copyLosslessly(outcome.origin.record, of: request) }
        if let placeholder, outcome.storable {
            parts.learn(placeholder, of: outcome.origin, for: request.origin, in: flight)
        }
        var timings = StageTimings(of: outcome)
        timings.queue = made.queued
        timings.decode = made.timing.decode
        timings.transform = made.timing.transform
        timings.encode = made.timing.encode
        if outcome.storable, tiers != .none {
            timings.store = UInt32(clamping: max(1, (parts.time.monotonic - start) / 1000))
        }
        finish(entity, outcome.status, timings)
    }

    /// Ends the flight.
    func end(_ result: Result<Answer, PipelineError>) {
        endProbes()
        flight.finish(brownedOut(result) ?? result)
    }

    /// Ends with an entity, and starts background work for it.
    func finish(
        _ entity: Entity,
        _ status: CacheStatus,
        _ timings: StageTimings,
        body: OriginBody? = nil,
        rung: BrownoutRung? = nil
    ) {
        if let hints = entity.description.hints, hints.placeholder == nil, request.keeps != .none {
            pipeline.computePlaceholder(for: request, entity, body)
        }
        if entity.isStandIn { pipeline.replaceStandIn(of: request) }
        if case .hit = status { pipeline.transcode(entity, for: request) }
        noteSize(of: entity)
        end(.success(Answer(entity: entity, status: status, timings: timings, rung: rung)))
    }
}
