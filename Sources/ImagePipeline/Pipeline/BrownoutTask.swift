import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Finds what to serve in place of a variant that cannot be made in time, once for all requests that share the flight.
///
/// Looks for each rung in order (`BrownoutRung`), on the read lane; the one that needs a worker ends on the transform pool. What it
/// finds is not stored under the request's key. The placeholder is made by the server.
final class BrownoutTask: Sendable {
    /// The maximum number of labels on disk that are considered.
    private static let mostLabels = 64
    /// The maximum number of larger variants that are looked up.
    private static let mostLookUps = 4

    private let request: VariantRequest
    private let context: LoadContext
    private let pipeline: Pipeline
    private let flight: Flight<Answer, PipelineError>
    private let rungs: [BrownoutRung]

    private var parts: PipelineParts { pipeline.parts }

    /// - Parameter isPatient: whether the requests may wait for a worker.
    init(
        _ request: VariantRequest,
        _ context: LoadContext,
        pipeline: Pipeline,
        flight: Flight<Answer, PipelineError>,
        isPatient: Bool
    ) {
        self.request = request
        self.context = context
        self.pipeline = pipeline
        self.flight = flight
        rungs = request.rungs.filter { $0 != .fast || isPatient }
    }

    /// Starts the task.
    func start() {
        flight.enter(.disk)
        // With a full lane, memory can still be searched.
        if !parts.readLane.submit({ self.climb() }) { end(stale(inMemory: true)) }
    }

    /// What is known of the original, which may be served or used.
    private struct Original {
        var snapshot: OriginSnapshot
        /// The bytes, if they are stored.
        var body: OriginBody?

        var header: ImageHeader { snapshot.record.header }
    }

    private func climb() {
        if let answer = stale(inMemory: false) { return end(answer) }
        guard let plan = request.plan, let original = original(for: plan) else { return end(nil) }
        let plain = PlainResize(canonicalText: plan)
        if rungs.contains(.larger), let plain, let entity = larger(than: plain, of: original) {
            return end(Answer(entity: entity, status: .hit(.disk), rung: .larger))
        }
        fast(plan, of: original) { [self] entity in
            if let entity { return end(Answer(entity: entity, status: .hit(.original), rung: .fast)) }
            guard rungs.contains(.original), let plain, let entity = cleaned(original, for: plain) else {
                return end(nil)
            }
            end(Answer(entity: entity, status: .hit(.disk), rung: .original))
        }
    }

    private func end(_ answer: Answer?) {
        flight.finish(answer.map { .success($0) } ?? .failure(.overloaded("nothing suitable is cached")))
    }

    /// Whether an entity may be served now: fresh, or stale in place of an error (RFC 5861 §4).
    private func isUsable(_ entity: Entity) -> Bool {
        let now = parts.time.wallSeconds
        return entity.isFresh(at: now) || entity.mayBeUsedIfError(at: now, by: request) && allowsStale
    }

    private var allowsStale: Bool { parts.failures.allowStale(request, for: context.caller) }

    /// The variant itself, which has been stored meanwhile or is stale.
    private func stale(inMemory: Bool) -> Answer? {
        let inMemoryEntity =
            request.tiers.keepInMemory
            ? MemoryVariantStage(memory: parts.memory).stale(request.key, now: parts.time.wallSeconds) : nil
        let found = inMemoryEntity ?? (inMemory ? nil : DiskVariantStage(parts: parts).entity(for: request, of: flight))
        guard let entity = found, isUsable(entity) else { return nil }
        let isFresh = entity.isFresh(at: parts.time.wallSeconds)
        let tier: CacheStatus.Tier = inMemoryEntity == nil ? .disk : .memory
        return Answer(entity: entity, status: .hit(isFresh ? tier : .stale), rung: isFresh ? nil : .stale)
    }

    /// The stored original, unless the request could not be answered with it either.
    private func original(for plan: String) -> Original? {
        guard let stored = OriginalStore.find(request.origin, in: parts), let snapshot = stored.original else {
            return nil
        }
        let source = request.origin.source
        let now = parts.time.wallSeconds
        let isUsable =
            snapshot.state.isFresh(at: now)
            || snapshot.state.isUsableIfError(at: now, default: source.staleIfError) && allowsStale
        let header = snapshot.record.header
        guard isUsable, snapshot.record.policy.isStorable, header.orientedSize.width > 0,
            header.orientedSize.height > 0,
            request.reasonToPass(snapshot.record) == nil,
            HeaderGate.refusal(of: header, plan: plan, source: source) == nil,
            OutputGate.refusal(of: header, plan: plan, for: request) == nil
        else { return nil }
        let body: OriginBody? = if case .file(let body) = stored.content { body } else { nil }
        return Original(snapshot: snapshot, body: body)
    }

    // MARK: A larger variant

    /// The smallest stored variant that shows the same as the requested one, at no smaller size.
    private func larger(than plain: PlainResize, of original: Original) -> Entity? {
        guard request.auxiliaries.isEmpty, let own = request.plan else { return nil }
        let size = original.header.orientedSize
        let stored = parts.disk?.labels(ofVariantsOf: request.origin.key, limit: Self.mostLabels) ?? []
        let plans = Set((parts.sizes.labels(of: request.origin.key) + stored).compactMap(plan(of:))).subtracting([own])
        let candidates = plans.compactMap { plan -> (plan: String, pixels: Int)? in
            guard let other = PlainResize(canonicalText: plan), plain.isShown(by: other, of: size) else { return nil }
            return (plan, other.outputSize(of: size).pixels)
        }
        for candidate in candidates.sorted(by: { ($0.pixels, $0.plan) < ($1.pixels, $1.plan) }).prefix(Self.mostLookUps)
        {
            guard let entity = pipeline.stored(request.with(plan: candidate.plan))?.entity, isUsable(entity),
                entity.originDigest == original.snapshot.record.digest, entity.description.passReason == nil,
                keepsFrames(entity, plain.settings)
            else { continue }
            return entity
        }
        return nil
    }

    /// The plan in a variant's label; `nil` if it is for another bucket.
    private func plan(of label: String) -> String? {
        let parts = label.split(separator: " ", maxSplits: 1).map { String($0) }
        guard let plan = parts.first, parts.dropFirst().first == request.bucket?.name else { return nil }
        return plan
    }

    /// Whether a variant of an animation has the frames that the requested one would have, which may depend on the size.
    private func keepsFrames(_ entity: Entity, _ settings: PlanSettings) -> Bool {
        switch entity.description.animation {
        case nil, .kept: true
        case .frame: settings.isStill
        case .reduced, .original, .uncounted: false
        }
    }

    // MARK: The variant with little effort

    /// Makes the variant of a stored mezzanine with the least effort, if the queue has room for that.
    private func fast(_ plan: String, of original: Original, then: @escaping @Sendable (Entity?) -> Void) {
        let bucket = request.bucket.map { min($0, .webp) }
        guard rungs.contains(.fast), let full = try? Plan(canonicalText: plan),
            let fast = PlainResize.fast(full, for: bucket),
            let wanted = Mezzanine.smallest(for: plan, of: original.header),
            let source = MezzanineStage(parts: parts).find(wanted, of: original.snapshot.record)
        else { return then(nil) }
        var job = TransformStage.job(
            of: request.origin,
            outputs: [TransformStage.output(of: request, plan: fast.canonicalText, bucket: bucket)],
            header: original.header,
            body: source.body,
            priority: context.priority
        )
        job.account = context.account
        job.claims = flight.claims
        job.deadline = flight.deadline
        job.reduction = Reduction(factor: source.factor, original: job.header)
        job.header.format = source.format
        flight.enter(.transform)
        let handle = parts.transformer.transform(job) { [self] result in
            // As the ladder's lower rungs read files, they belong on the read lane.
            guard let picture = try? result.get().pictures.first else {
                if !parts.readLane.submit({ then(nil) }) { end(nil) }
                return
            }
            then(entity(of: picture, plan, original.snapshot))
        }
        flight.onChange { handle.waitersChanged() }
        flight.onAbandon(unless: { false }, cancel: { handle.cancel() })
    }

    private func entity(of picture: TransformResult.Picture, _ plan: String, _ origin: OriginSnapshot) -> Entity {
        let record = TransformStage.record(of: picture, request: request, plan: plan, origin: origin.record)
        return parts.entity(
            key: request.key,
            description: EntityDescription(record, origin: origin.record, for: request),
            body: .memory(picture.bytes),
            origin: origin,
            storable: false,
            of: flight
        )
    }

    // MARK: The original

    /// The original without its metadata, if it is small and shows the same as the requested variant.
    ///
    /// Cleaning decodes nothing (`MetadataCleaner`), so it needs no worker; SVG, which is markup, is not cleaned here.
    private func cleaned(_ original: Original, for plain: PlainResize) -> Entity? {
        let source = request.origin.source
        let header = original.header
        guard source.originals == .serve, source.formats[header.format].writes, header.format != .svg,
            let body = original.body, body.digest == original.snapshot.record.digest,
            body.length <= source.brownout.largestOriginal,
            plain.permitsOriginal(header, length: body.length, for: request.bucket),
            plain.isShownByOriginal(of: header.orientedSize),
            let bytes = body.file.read(count: body.length),
            let cleaned = try? MetadataCleaner.clean(bytes.span, as: header)
        else { return nil }
        let description = EntityDescription(
            mediaType: header.format.mediaType,
            digest: CacheKey(hashing: cleaned),
            length: cleaned.count,
            origin: original.snapshot.record,
            of: source,
            animation: request.animation(of: header, in: nil)
        )
        return parts.entity(
            key: request.key,
            description: description,
            body: .memory(cleaned),
            origin: original.snapshot,
            storable: false,
            of: flight
        )
    }
}
