package import HTTPCache

/// Makes pictures from requests: caches, downloads, transforms (SDWebImageManager).
///
/// ```
/// 1 memory variant ─ fresh hit ─────────────────────────────▶ answer, inside the event loop
/// 2 disk variant ─── fresh hit ─────────────────────────────▶ answer, promoted to memory
/// 3 variant task ─── equal variants share it
/// 4   stored original ─ fresh hit ──┐
/// 5   original task ─ different variants share it
/// 6     transfer ─ fetch or revalidate
/// 7   transform ─ worker process ◀──┘ ──────────────────────▶ answer, kept in memory, then on disk
/// ```
///
/// No Swift task stands on this way: stages are state machines whose completions run on the thread that completed them.
package final class Pipeline: Sendable {
    let parts: PipelineParts
    private let memoryVariants: MemoryVariantStage
    let originals: Originals
    let variants: TaskPool<Answer, PipelineError>
    let transforms: TransformGroups
    private let placeholders = PlaceholderAllowance()
    private let deferred: DeferredQueue

    /// Builds the stages around the parts.
    package init(_ parts: PipelineParts) {
        self.parts = parts
        memoryVariants = MemoryVariantStage(memory: parts.memory)
        transforms = TransformGroups(parts: parts)
        deferred = DeferredQueue(limit: parts.limits.deferred, statistics: parts.deferrals, time: parts.time)
        let flights = TaskPool<CacheOutcome, PipelineError>(
            maximumWaiters: parts.limits.waiters,
            maximumFlights: parts.limits.flights
        )
        originals = Originals(pool: flights, parts: parts)
        variants = TaskPool(maximumWaiters: parts.limits.waiters, maximumFlights: parts.limits.flights)
        // What cannot be read in now is tried again, as if there had been no restart.
        let failures = parts.failures
        if failures.hasKept, !parts.readLane.submit({ failures.restore() }) { failures.renounce() }
    }

    /// Stage 1: the entity in memory that may be served without asking anybody; on an event loop.
    ///
    /// - Parameter now: seconds of the wall clock.
    @inline(__always)
    package func cached(_ key: CacheKey, now: Int64) -> Entity? {
        guard let entity = memoryVariants.fresh(key, now: now) else { return nil }
        // What is hot in memory is not to be the disk's oldest.
        if entity.isUseDue(at: now) { parts.disk?.touch(.variants, key) }
        return entity
    }

    /// Stage 1 for what is on disk: the variant whose file is open, and that may be served without asking anybody; on an event
    /// loop, without touching the disk.
    ///
    /// - Parameter now: seconds of the wall clock.
    package func open(_ key: CacheKey, now: Int64) -> Entity? {
        guard let entity = parts.openFiles.value(for: key) else { return nil }
        guard entity.isCurrent else {
            parts.openFiles.remove(key)
            return nil
        }
        guard entity.isFresh(at: now) else { return nil }
        parts.disk?.touch(.variants, key)
        return entity
    }

    /// Stage 1 again, where that had nothing: the entity in memory that may be served although it is stale, while it is brought up
    /// to date behind the back of whom it is served to, or since its origin has just failed (RFC 5861); on an event loop.
    ///
    /// - Parameter now: seconds of the wall clock.
    package func stale(_ request: VariantRequest, now: Int64) -> Entity? {
        guard request.tiers.keepInMemory, let entity = memoryVariants.stale(request.key),
            !entity.isFresh(at: now), parts.failures.allowStale(request)
        else { return nil }
        if entity.mayBeUsedWhileRevalidating(at: now, by: request) {
            refresh(request)
            return entity
        }
        guard let failure = parts.failures.pause(request.origin.key), failure.allowsStale,
            entity.mayBeUsedIfError(at: now, by: request)
        else { return nil }
        return entity
    }

    /// Stages 2 to 7, for what stage 1 does not have; any thread, returns at once.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - context: what accompanies it; the origin is told of the first request of those that share a download.
    ///   - completion: called exactly once on a pipeline thread, unless the subscription is cancelled first.
    /// - Returns: the request's part in the work; cancelling it detaches this request alone.
    @discardableResult
    package func load(
        _ request: VariantRequest,
        _ context: LoadContext = LoadContext(),
        completion: @escaping @Sendable (Result<Answer, PipelineError>) -> Void
    ) -> Subscription {
        let verdict = verdict(on: request, context)
        if case .blocked(let failure) = verdict {
            completion(.failure(failure))
            return Subscription {}
        }
        var isProbing = false
        defer { if verdict == .probe, !isProbing { parts.failures.giveUp(request.key) } }
        return variants.join(flightKey(request, context), about: PurgeSubject(request)) { outcome, delivery in
            guard delivery.isCollapsed else { return completion(outcome) }
            completion(outcome.map(\.collapsed).mapError(\.collapsed))
        } start: { flight in
            // Others are not to wait for a try that may take as long as the last one.
            isProbing = verdict == .probe
            if isProbing { flight.detach() }
            var context = context
            context.isProbe = isProbing
            start(request, context, flight)
        }
    }

    /// Revalidates a stale variant in the background, one at a time for a key.
    func refresh(_ request: VariantRequest) {
        // An origin that has just failed is left alone.
        guard parts.failures.pause(request.origin.key) == nil else { return }
        variants.startUnlessUnderWay(request.key, about: PurgeSubject(request)) { flight in
            start(request, .background(.low, isRefresh: true), flight)
        }
    }

    /// Computes an original's placeholder in the background, and adds it to the entity.
    func describe(_ request: VariantRequest, _ entity: Entity, _ body: OriginBody?) {
        guard placeholders.enter() else { return }
        var isStarted = false
        variants.startUnlessUnderWay(PlaceholderTask.key(request), about: PurgeSubject(request)) { flight in
            isStarted = true
            let task = PlaceholderTask(request: request, entity: entity, parts: parts, flight: flight) {
                [placeholders] in
                placeholders.leave()
            }
            task.start(with: body)
        }
        if !isStarted { placeholders.leave() }
    }

    /// Has what a stand-in stands for made when there is time, unless that is under way; any thread, at once.
    package func improve(_ request: VariantRequest) {
        deferred.want(request) { [weak self] request, completion in
            var isStarted = false
            self?.variants.startUnlessUnderWay(DeferredTask.key(request), about: PurgeSubject(request)) { flight in
                guard let self else { return }
                isStarted = true
                DeferredTask(
                    request: request,
                    parts: self.parts,
                    originals: self.originals,
                    flight: flight,
                    completion: completion
                )
                .start()
            }
            if !isStarted { completion(.abandoned) }
        }
    }

    private func start(_ request: VariantRequest, _ context: LoadContext, _ flight: Flight<Answer, PipelineError>) {
        VariantTask(request, context, pipeline: self, flight: flight)
            .start(stale: request.tiers.keepInMemory ? memoryVariants.stale(request.key) : nil)
    }

    /// Whether what is remembered of the variant, or of an original of which nothing is stored, answers already.
    private func verdict(on request: VariantRequest, _ context: LoadContext) -> NegativeCache<PipelineError>.Verdict {
        let key = request.origin.failureKey(for: context.caller)
        guard !context.demand.noCache else {
            let failure = parts.failures.outage(key) ?? parts.failures.outage(request.key)
            return failure.map { .blocked($0) } ?? .clear
        }
        if let failure = parts.failures.certainFailure(key) { return .blocked(failure) }
        return context.demand.onlyIfCached ? parts.failures.verdict(request.key) : parts.failures.admit(request.key)
    }

    /// Requests that demand something of the cache share no flight with those that do not, nor do those for which an origin may
    /// fail alone.
    private func flightKey(_ request: VariantRequest, _ context: LoadContext) -> CacheKey {
        let suffix = context.demand.keySuffix + context.caller.keySuffix
        return suffix.isEmpty ? request.key : CacheKey(hashing: "demand/1\n\(request.key)\(suffix)")
    }

    /// Lets another number of requests wait for one picture, from the next one on.
    package func setWaiterLimit(_ limit: Int) {
        originals.pool.setMaximumWaiters(limit)
        variants.setMaximumWaiters(limit)
    }

    /// Transforms that wait for the decoding of their original by another, for metrics.
    package var waitingTransforms: Int { transforms.waitingCount }

    /// What became of AVIFs that were not made while somebody waited.
    package var deferrals: DeferredStatistics { parts.deferrals }

    /// Variants that wait for their AVIF, for metrics.
    package var deferredWaiting: Int { deferred.count }

    /// Lets another number of variants wait for their AVIF, from the next one on.
    package func setDeferredLimit(_ limit: Int) { deferred.setLimit(limit) }

    /// How much decoding was saved.
    package var sharing: SharingStatistics { parts.sharing }
    /// What searches for qualities and formats have found, counted.
    package var encodings: EncodingCounts.Statistics { parts.encodings.statistics }

    /// Failures that are not tried again for a while.
    package var failures: NegativeCache<PipelineError> { parts.failures }

    /// Variants that are being made, for metrics.
    package var variantsUnderWay: Int { variants.count }

    /// Originals that are being looked up or fetched, for metrics.
    package var originalsUnderWay: Int { originals.pool.count }
}
