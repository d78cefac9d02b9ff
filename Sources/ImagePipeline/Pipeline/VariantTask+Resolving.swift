import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Making a variant, once for all requests that come to the same with its original.
///
/// The variant's flight has the request's key, which does not depend on the original. As soon as the original is known, requests
/// of different keys may turn out to be the same variant: they find the one that is stored, or share a flight of its resolved key.
extension VariantTask {
    /// What is needed to make the variant.
    struct Work: Sendable {
        let plan: String
        let outcome: OriginOutcome
        /// The bytes of the original, or of `copy`.
        let body: OriginBody
        /// The lossless copy or the mezzanine that replaces the original; `nil` for the original itself.
        let copy: MezzanineStage.Found?
        let auxiliaries: [OriginOutcome]
        let timing: AVIFTiming
        let cost: WorkClass
        /// The delivery of the original, whose variants are made together.
        let delivery: Delivery?
        /// `nil` if the request's own key is all that is known.
        let resolved: ResolvedVariant?
    }

    /// Uses the stored result of another request, joins its flight, or makes the variant; on the read lane.
    func makeOnce(_ work: Work) {
        guard let resolved = work.resolved else { return makeAlone(work) }
        let found = ResolvedStage(parts: parts).find(
            resolved.key,
            for: request,
            of: work.outcome.origin.record,
            with: work.auxiliaries.map(\.origin.record)
        )
        if let found, adopt(found, of: work.outcome, with: work.auxiliaries) { return }
        let number = begin()
        let key = CacheKey(hashing: "making/1\n\(resolved.key)\n\(work.timing)")
        let subscription = pipeline.making.join(
            key,
            about: PurgeSubject(request),
            deadline: context.deadline,
            priority: currentContext.priority,
            claims: context.claims
        ) { [self] result, delivery in
            conclude(result, isOwn: !delivery.isCollapsed, work)
        } start: { making in
            // A flight that has just ended may still be storing its result, or have stored it meanwhile.
            if let made = pipeline.delivering.result(key) ?? stored(resolved.key, work) {
                parts.sharing.noteResolved()
                return making.finish(.success(made))
            }
            var context = currentContext
            context.deadline = making.deadline
            context.claims = making.claims
            let order = order(
                work,
                context,
                publish: { keep in _ = making.publish(of: work.outcome.origin.record, keep) }
            ) { [self] result in
                let isShared = (try? result.get().pictures.first).map { resolved.isResult($0.description) } ?? false
                pipeline.delivering.deliver(result, of: making, isShared: isShared)
            }
            making.onAbandon(unless: { false }, cancel: { order.cancel() })
            making.onChange { order.waitersChanged() }
        }
        remember(number) {
            subscription.cancel()
        } follow: {
            subscription.waitersChanged()
        }
    }

    /// Returns the result in memory of another request, as if a worker had made it.
    private func stored(_ resolved: CacheKey, _ work: Work) -> TransformResult? {
        guard let entity = parts.bodies.entity(resolved: resolved), let facts = entity.facts,
            entity.originDigest == work.outcome.origin.record.digest, let bytes = entity.body.copied(),
            let metadata = VariantMetadata(encoded: facts.metadata)
        else { return nil }
        let description = WorkerReply.Output(
            format: metadata.format,
            width: metadata.width,
            height: metadata.height,
            frames: metadata.frames,
            hasAlpha: false,
            length: bytes.count,
            quality: metadata.quality,
            score: metadata.score
        )
        let picture = TransformResult.Picture(description: description, bytes: bytes)
        return TransformResult(pictures: [picture], timing: WorkerReply.Timing(), queued: 0)
    }

    /// Makes the variant for this flight's requests only.
    private func makeAlone(_ work: Work) {
        guard !flight.isOver else { return }
        let number = begin()
        let order = order(
            work,
            currentContext,
            publish: { [flight] keep in _ = flight.publish(of: work.outcome.origin.record, keep) }
        ) { [self] result in
            switch result {
            case .success(let made): publish(made, work, resolved: nil)
            case .failure(let error) where mayBeDue(to: work.copy, error): makeWithoutMezzanine(after: error, work)
            case .failure(let error): fail(error, work.outcome.status.ofFailure, cost: work.cost)
            }
        }
        remember(number) {
            order.cancel()
        } follow: {
            order.waitersChanged()
        }
    }

    private func order(
        _ work: Work,
        _ context: LoadContext,
        publish: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping TransformOrder.Completion
    ) -> TransformOrder {
        let order = TransformOrder(
            request: request,
            plan: work.plan,
            outcome: work.outcome,
            body: work.body,
            copy: work.copy,
            context: context,
            auxiliaries: zip(request.auxiliaries, work.auxiliaries).compactMap { TransformJob.Auxiliary($0, $1) },
            mezzanine: mezzanine(for: work.plan, of: work.outcome),
            byproducts: byproducts(of: work),
            bucket: work.timing.bucket(for: request),
            sharedPlace: sharesMezzanines ? place : nil,
            publish: publish,
            completion: completion
        )
        pipeline.transforms.order(order, in: work.delivery)
        return order
    }

    /// Ends with the result of a shared flight.
    ///
    /// - Parameter isOwn: whether this request's plan was used.
    private func conclude(_ result: Result<TransformResult, PipelineError>, isOwn: Bool, _ work: Work) {
        switch result {
        case .success(let made):
            let isPredicted = made.pictures.first.map { work.resolved?.isResult($0.description) ?? false } ?? false
            guard isOwn || isPredicted else { return makeAlone(work) }
            if !isOwn { parts.sharing.noteResolved() }
            publish(made, work, resolved: isPredicted ? work.resolved?.key : nil)
        case .failure(let error) where mayBeDue(to: work.copy, error): makeWithoutMezzanine(after: error, work)
        case .failure(let error) where !isOwn && mayBeDueToOthers(error):
            makeAlone(work)
        case .failure(let error): fail(error, work.outcome.status.ofFailure, cost: work.cost)
        }
    }

    /// Whether a failure of a shared flight may not apply to a request that has only joined it.
    ///
    /// A permanent one names the other request's parameters, and may be due to them. Any that a retry may avoid may be due to a shared
    /// mezzanine, which that request used in place of the content.
    private func mayBeDueToOthers(_ error: PipelineError) -> Bool {
        error.traits.isPermanent || sharesMezzanines && error.traits.isRetryableAlone
    }

    /// Ends with a variant that another request, or another node, has made.
    ///
    /// - Returns: false if it cannot be read.
    func adopt(
        _ found: ResolvedStage.Found,
        of outcome: OriginOutcome,
        with auxiliaries: [OriginOutcome]
    ) -> Bool {
        var outcome = outcome
        let placeholder = outcome.origin.record.placeholder == nil ? found.placeholder : nil
        if let placeholder { outcome.origin.record.placeholder = placeholder }
        let others = auxiliaries.map(\.origin.record)
        var description = EntityDescription(found.record, origin: outcome.origin.record, for: request)
        description.restrict(toStrictestOf: others, origin: outcome.origin.record)
        let entity = parts.entity(
            key: request.key,
            description: description,
            stored: found.body,
            origin: outcome.origin,
            auxiliaries: auxiliaries.map { AuxiliaryUse($0.origin) },
            facts: VariantFacts(found.record),
            storable: outcome.storable && tiers.keepInMemory && parts.tiers.promotes,
            of: flight
        )
        guard let entity else { return false }
        parts.failures.forget(request.key)
        if found.tier != .shared { parts.sharing.noteResolved() }
        if outcome.storable, tiers.keepOnDisk {
            _ = flight.publish(of: outcome.origin.record) {
                if found.tier == .shared, case .memory(let bytes) = found.body {
                    parts.disk?.store(
                        variant: found.record,
                        origin: outcome.origin.record,
                        auxiliaries: others,
                        bytes: bytes
                    )
                } else {
                    parts.disk?.store(sharing: found.record, origin: outcome.origin.record, auxiliaries: others)
                }
            }
        }
        if let placeholder, outcome.storable {
            parts.learn(placeholder, of: outcome.origin, for: request.origin, in: flight)
        }
        finish(entity, outcome.isStored ? .hit(found.tier) : outcome.status, StageTimings(of: outcome))
        return true
    }
}
