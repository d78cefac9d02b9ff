import HTTPSemantics
import LinuxSystem
package import HTTPCache

/// Serves images for requests: looks up caches, downloads originals and transforms them (SDWebImage: `SDWebImageManager`).
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
/// No stage uses Swift concurrency: stages are state machines whose completions run on the thread that completed them.
package final class Pipeline: Sendable {
    let parts: PipelineParts
    private let memoryVariants: MemoryVariantStage
    let originals: Originals
    let variants: TaskPool<Answer, PipelineError>
    /// The variants being made, by resolved key.
    let making: TaskPool<TransformResult, PipelineError>
    /// The mezzanines being looked up, by original.
    let mezzanines: TaskPool<MezzanineStage.Found?, PipelineError>
    /// Results that are being delivered to the waiting requests, which store them.
    let delivering = DeliveringResults()
    let transforms: TransformGroups
    let background: VariantBackground
    private let failedCopies = FailedCopies()
    /// The JPEG originals that have no smaller JPEG XL.
    let failedTranscodings = FailedCopies()

    /// Builds the stages around the parts.
    package init(_ parts: PipelineParts) {
        self.parts = parts
        memoryVariants = MemoryVariantStage(memory: parts.memory)
        transforms = TransformGroups(parts: parts)
        let flights = TaskPool<CacheOutcome, PipelineError>(
            maximumWaiters: parts.limits.waiters,
            maximumFlights: parts.limits.flights
        )
        originals = Originals(pool: flights, parts: parts)
        variants = TaskPool(maximumWaiters: parts.limits.waiters, maximumFlights: parts.limits.flights)
        // A waiter is a flight of its own, with a limit of its own.
        making = TaskPool(maximumWaiters: parts.limits.flights, maximumFlights: parts.limits.flights)
        mezzanines = TaskPool(maximumWaiters: parts.limits.flights, maximumFlights: parts.limits.flights)
        background = VariantBackground(pool: variants, deferredLimit: parts.limits.deferred, time: parts.time)
        // Without a restore, requests simply contact the origins of cached failures again.
        let failures = parts.failures
        if failures.hasKept, !parts.readLane.submit({ failures.restore() }) { failures.skipRestore() }
    }

    /// Stage 1: returns a fresh variant from memory; on an event loop.
    ///
    /// - Parameter now: seconds of the wall clock.
    @inline(__always)
    package func cached(_ request: VariantRequest, now: Int64) -> Entity? {
        guard let entity = memoryVariants.fresh(request.key, now: now) else { return nil }
        if let uses = entity.noteUse(at: now) { used(entity, uses, by: request) }
        return entity
    }

    /// Reports to the disk that an entity in memory was used, since what is hot in memory must not be evicted from disk.
    private func used(_ entity: Entity, _ uses: Int, by request: VariantRequest) {
        transcode(entity, for: request)
        if entity.isOriginal {
            parts.disk?.touch(.originals, entity.origin.record.key)
        } else {
            parts.disk?.touch(.variants, request.key)
            lookUpBareFile(of: entity, for: request)
            recompress(entity, after: uses, for: request)
        }
    }

    /// Looks up whether a variant's body has a bare file, on the read lane.
    private func lookUpBareFile(of entity: Entity, for request: VariantRequest) {
        let (length, digest) = (entity.body.length, entity.description.digest)
        guard let bareFrom = parts.limits.bareFrom, length >= bareFrom, let disk = parts.disk else { return }
        _ = parts.readLane.submit {
            entity.noteBareFile(disk.barePath(ofVariant: request.key, digest: digest, length: length))
        }
    }

    /// Stage 1 for variants on disk: returns a fresh variant whose file is open; on an event loop, with no access to the disk but fstat(2).
    ///
    /// - Parameter now: seconds of the wall clock.
    package func open(_ request: VariantRequest, now: Int64) -> Entity? {
        guard let entity = parts.openFiles.value(for: request.key) else { return nil }
        guard entity.isCurrent else {
            parts.openFiles.remove(request.key)
            return nil
        }
        guard entity.isFresh(at: now) else { return nil }
        if entity.body.length <= parts.memoryObject, request.keeps.keepInMemory, parts.tiers.promotes {
            // The memory cache has grown since the file was opened: the look-up on disk moves the variant there.
            parts.openFiles.remove(request.key) { $0 === entity }
            return nil
        }
        guard isWhole(entity, request.key) else { return nil }
        parts.disk?.touch(.variants, request.key)
        if let uses = entity.noteUse(at: now) {
            transcode(entity, for: request)
            lookUpBareFile(of: entity, for: request)
            recompress(entity, after: uses, for: request)
        }
        return entity
    }

    /// Stage 1 after a miss: returns a stale variant from memory that may be served while it is revalidated in the background, or
    /// because its origin has just failed (RFC 5861); on an event loop.
    ///
    /// - Parameter now: seconds of the wall clock.
    package func stale(_ request: VariantRequest, now: Int64) -> Entity? {
        guard request.tiers.keepInMemory, let entity = memoryVariants.stale(request.key, now: now),
            !entity.isFresh(at: now), parts.failures.allowStale(request)
        else { return nil }
        if entity.mayBeUsedWhileRevalidating(at: now, by: request) {
            refresh(request)
            return entity
        }
        guard let failure = parts.failures.backoffError(for: request.origin.key), failure.allowsStale,
            entity.mayBeUsedIfError(at: now, by: request)
        else { return nil }
        return entity
    }

    /// Runs stages 2 to 7 after stage 1 has missed; any thread, returns immediately.
    ///
    /// - Parameters:
    ///   - request: the requested variant.
    ///   - context: the client's directives and caller; the origin receives those of the first request that shares the download.
    ///   - completion: called exactly once on a pipeline thread, unless the subscription is cancelled first.
    /// - Returns: the request's subscription; cancelling it detaches this request only.
    @discardableResult
    package func load(
        _ request: VariantRequest,
        _ context: LoadContext = LoadContext(),
        completion: @escaping @Sendable (Result<Answer, PipelineError>) -> Void
    ) -> Subscription {
        if context.takesBrownout, request.origin.source.brownout.isOn {
            return loadOrBrownOut(request, context, completion)
        }
        let completion = context.waitsForStore ? afterCommit(of: request, completion) : completion
        let verdict = verdict(on: request, context)
        if case .blocked(let failure) = verdict {
            completion(.failure(failure))
            return Subscription {}
        }
        var isProbing = false
        defer { if verdict == .probe, !isProbing { parts.failures.giveUp(request.key) } }
        return variants.join(
            flightKey(request, context),
            about: PurgeSubject(request),
            account: context.account,
            deadline: context.deadline,
            priority: context.priority,
            early: context.takesArriving && !context.waitsForStore ? .instead : .none
        ) { outcome, delivery in
            guard delivery.isCollapsed else { return completion(outcome) }
            completion(outcome.map(\.collapsed).mapError(\.collapsed))
        } start: { flight in
            // Other requests must not wait for a retry that may take as long as the failed one.
            isProbing = verdict == .probe
            if isProbing { flight.detach() }
            var context = context
            context.isProbe = isProbing
            start(request, context, flight)
        }
    }

    /// Revalidates a stale variant in the background, once per key at a time.
    func refresh(_ request: VariantRequest) {
        background.refresh(
            request.key,
            about: PurgeSubject(request),
            failures: parts.failures,
            request.origin.key
        ) { [self] flight in
            var context = LoadContext.background(.low, isRefresh: true)
            // Otherwise a failure because of what one client sent would be remembered for all.
            context.caller.unkeyed = request.origin.unkeyed
            start(request, context, flight)
        }
    }

    /// Computes an original's placeholder in the background, and adds it to the entity.
    func computePlaceholder(for request: VariantRequest, _ entity: Entity, _ body: OriginBody?) {
        background.offer(.placeholder, for: request) { [parts, background] flight in
            PlaceholderTask(request: request, entity: entity, parts: parts, background: background, flight: flight)
                .start(with: body)
        }
    }

    /// Queues the AVIF that replaces a stand-in, unless it is already queued or running; any thread, returns immediately.
    package func replaceStandIn(of request: VariantRequest) {
        replace(.deferredAVIF, of: request, noting: parts.deferrals) {}
    }

    /// Queues a second encoding of a variant that is requested often, as its source's rule says; any thread, returns immediately.
    ///
    /// It is tried once for each entity, so that an image that cannot be encoded again costs nothing further. Results of a shared store
    /// stay as they are, since all nodes send them.
    /// - Parameter uses: in how many different minutes it was requested.
    private func recompress(_ entity: Entity, after uses: Int, for request: VariantRequest) {
        let minutes = request.origin.source.recompressAfter
        guard minutes > 0, uses >= minutes, !entity.isRecompressed, !entity.isStandIn, !entity.isHotCopy,
            entity.facts?.isCompact != true, parts.shared == nil, parts.tiers.writesDisk, request.keeps.keepOnDisk,
            request.origin.source.isFolder || request.origin.keeps.originals.keepOnDisk,
            request.auxiliaries.isEmpty, parts.transformer.hasBackground
        else { return }
        replace(.recompression, of: request, noting: parts.recompressions) { entity.noteRecompression() }
    }

    /// - Parameter started: called when the task starts.
    private func replace(
        _ goal: ReplacementTask.Goal,
        of request: VariantRequest,
        noting statistics: DeferredStatistics,
        started: @escaping @Sendable () -> Void
    ) {
        background.offer(goal.kind, for: request, dropped: { statistics.note(.dropped) }) { [weak self] flight in
            guard let self else { return flight.finish(.failure(.cancelled)) }
            started()
            ReplacementTask(
                goal,
                request: request,
                parts: parts,
                originals: originals,
                flight: flight,
                background: background
            )
            .start()
        }
    }

    /// Replaces an original's body by a lossless copy in the background, if its source says so.
    func copyLosslessly(_ origin: OriginRecord, of request: VariantRequest) {
        guard let plan = LosslessCopyTask.plan(after: request, origin, in: parts), !failedCopies.contains(origin.digest)
        else { return }
        background.offer(
            .losslessCopy,
            LosslessCopyStage.key(of: origin.key),
            about: PurgeSubject(request)
        ) { [parts, failedCopies] flight in
            LosslessCopyTask(
                request: request,
                plan: plan,
                origin: origin,
                parts: parts,
                failed: failedCopies,
                flight: flight
            )
            .start()
        }
    }

    private func start(_ request: VariantRequest, _ context: LoadContext, _ flight: Flight<Answer, PipelineError>) {
        VariantTask(request, context, pipeline: self, flight: flight)
            .start(
                stale: request.tiers.keepInMemory
                    ? memoryVariants.stale(request.key, now: parts.time.wallSeconds) : nil
            )
    }

    /// Returns whether a remembered failure of the variant, or of an original that is not stored, answers the request.
    private func verdict(on request: VariantRequest, _ context: LoadContext) -> NegativeCache<PipelineError>.Verdict {
        if context.demand.retryFailed { return .clear }
        let key = request.origin.failureKey(for: context.caller)
        guard !context.demand.noCache else {
            let failure = parts.failures.outage(key) ?? parts.failures.outage(request.key)
            return failure.map { .blocked($0) } ?? .clear
        }
        let certain = parts.failures.certainFailure(key)
        guard parts.progress.trustsUnvalidated else {
            // Another node may know better, except that the origin is out of order. `VariantTask.admits` decides about transforms.
            return certain.flatMap { _ in parts.failures.outage(key) }.map { .blocked($0) } ?? .clear
        }
        if let failure = certain { return .blocked(failure) }
        return context.demand.onlyIfCached ? parts.failures.verdict(request.key) : parts.failures.admit(request.key)
    }

    /// Returns the flight's key: requests with cache directives or loop names do not share a flight with others, nor does warming,
    /// which would delay them, nor does the plan of a preset, which is tried when the same plan of a client is not.
    ///
    /// Requests that ask an owner share none with those of nodes, so that two nodes never wait for each other.
    func flightKey(_ request: VariantRequest, _ context: LoadContext) -> CacheKey {
        let isTried = request.isPresetPlan && parts.failures.hasClasses(of: request.origin.key)
        let suffix =
            context.demand.keySuffix + context.caller.keySuffix + (context.isWarming ? "\nwarm" : "")
            + (isTried ? "\npreset" : "") + (context.question == nil ? "" : "\nowner")
        return parts.progress.flightKey(
            suffix.isEmpty ? request.key : CacheKey(hashing: "demand/1\n\(request.key)\(suffix)")
        )
    }

    /// Sets the maximum number of waiters per variant and original; applies to new requests.
    package func setWaiterLimit(_ limit: Int) {
        originals.pool.setMaximumWaiters(limit)
        variants.setMaximumWaiters(limit)
    }

    /// Transforms that wait for another decode of their original, for metrics.
    package var waitingTransforms: Int { transforms.waitingCount }

    /// The results of deferred AVIFs.
    package var deferrals: DeferredStatistics { parts.deferrals }

    /// Variants that wait for their AVIF, for metrics.
    package var deferredWaiting: Int { background.waitingCount(.deferred) }

    /// Sets the maximum number of jobs of each kind that wait (`avif.queue`); applies to new ones.
    package func setDeferredLimit(_ limit: Int) { background.setDeferredLimit(limit) }

    /// The results of encoding popular variants again.
    package var recompressions: DeferredStatistics { parts.recompressions }

    /// Counts of saved decodes.
    package var sharing: SharingStatistics { parts.sharing }
    /// Counts of the searches for qualities and formats.
    package var encodings: EncodingCounts.Statistics { parts.encodings.statistics }

    /// The remembered failures.
    package var failures: NegativeCache<PipelineError> { parts.failures }

    /// Variants in progress, for metrics.
    package var variantsUnderWay: Int { variants.count }

    /// The images in progress, oldest first, up to a number, and the number of all.
    package func variantsInProgress(limit: Int) -> (oldest: [FlightStatus], total: Int) {
        variants.statuses(limit: limit)
    }

    /// The originals in progress, oldest first, up to a number, and the number of all.
    package func originalsInProgress(limit: Int) -> (oldest: [FlightStatus], total: Int) {
        originals.pool.statuses(limit: limit)
    }

    /// Originals in progress, for metrics.
    package var originalsUnderWay: Int { originals.pool.count }
}
