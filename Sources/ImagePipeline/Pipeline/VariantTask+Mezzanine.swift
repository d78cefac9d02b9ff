import HTTPCache
import ImagePlan
import LinuxSystem

/// Making a variant of what may replace the original's content: its lossless copy, or a mezzanine.
extension VariantTask {
    /// Makes the variant of the original's content or, without it, of what replaces it; asks for the content if there is neither.
    func make(of outcome: OriginOutcome) {
        if let body = outcome.body { return make(of: outcome, body) }
        let copies = LosslessCopyStage(parts: parts)
        guard copies.mayServe(request), request.reasonToPass(outcome.origin.record) == nil else {
            return makeOfMezzanine(outcome)
        }
        let isTaken = parts.readLane.submit { [self] in
            guard let copy = copies.find(of: outcome.origin.record) else { return makeOfMezzanine(outcome) }
            make(of: outcome, copy.body, copy: copy)
        }
        if !isTaken { end(.failure(.diskQueueFull)) }
    }

    /// Makes the variant of a mezzanine that this or another node has made, or asks for the original's content.
    ///
    /// Requests for several variants of one original share the look-up.
    private func makeOfMezzanine(_ outcome: OriginOutcome) {
        let record = outcome.origin.record
        guard outcome.storable, let wanted = replacement(for: record), !flight.isOver else { return askForBody() }
        flight.enter(.disk)
        let number = begin()
        let subscription = pipeline.mezzanines.join(
            CacheKey(hashing: "\(wanted.planText)\n\(record.key)\n\(record.digest)"),
            about: PurgeSubject(request.origin)
        ) { [self] result, _ in
            guard let found = try? result.get() else { return askForBody() }
            make(of: outcome, found.body, copy: found)
        } start: { search in
            look(for: wanted, of: record, search)
        }
        remember(number) { subscription.cancel() }
    }

    /// Ends a flight with the mezzanine that was found, on the read lane.
    private func look(
        for wanted: Mezzanine,
        of record: OriginRecord,
        _ search: Flight<MezzanineStage.Found?, PipelineError>
    ) {
        let stage = MezzanineStage(parts: parts)
        let isTaken = parts.readLane.submit { [parts] in
            stage.findAnywhere(wanted, of: record) { keep in
                _ = search.publish(of: record, keep)
            } completion: { found in
                if !parts.readLane.submit({ search.finish(.success(found)) }) {
                    search.finish(.failure(.diskQueueFull))
                }
            }
        }
        if !isTaken { search.finish(.failure(.diskQueueFull)) }
    }

    /// Whether a failure may be the fault of the mezzanine that replaced the original: not that it took too long.
    func mayBeDue(to copy: MezzanineStage.Found?, _ error: PipelineError) -> Bool {
        copy?.mezzanine != nil && error.traits.isRetryableAlone && !error.traits.isCostDependent
    }

    /// Makes the variant of the original's content after a mezzanine was useless; one that cannot be decoded is removed.
    func makeWithoutMezzanine(after error: PipelineError, _ work: Work) {
        if let copy = work.copy, MezzanineStage.isUndecodable(error) {
            MezzanineStage(parts: parts).discard(copy, of: work.outcome.origin.record)
        }
        step.withLock { $0.avoidsMezzanines = true }
        askForBody()
    }

    /// Joins the flight of requests that need the bytes, which other requests for freshness do not join.
    private func askForBody() {
        joinOriginal(for: .body, needsBody: true, isJudged: true) { [self] outcome in
            guard let body = outcome.body else {
                return end(.failure(.notDelivered))
            }
            make(of: outcome, body)
        }
    }

    /// Whether a stored mezzanine replaces content that is not stored: that of a local file, or content that was evicted; on the
    /// read lane.
    func hasMezzanine(of record: OriginRecord) -> Bool {
        guard let wanted = replacement(for: record) else { return false }
        let stage = MezzanineStage(parts: parts)
        return ([wanted] + wanted.alternatives).contains { stage.isStored($0, of: record) }
    }

    /// The smallest mezzanine that can replace the original's content for this request; `nil` if none can.
    private func replacement(for record: OriginRecord) -> Mezzanine? {
        guard request.auxiliaries.isEmpty, let plan = request.plan, request.reasonToPass(record) == nil else {
            return nil
        }
        return mezzanine(for: plan, of: record)
    }

    /// The smallest mezzanine that can replace the original for a plan; `nil` if none can, or none may be stored.
    func mezzanine(for plan: String, of outcome: OriginOutcome) -> Mezzanine? {
        outcome.storable ? mezzanine(for: plan, of: outcome.origin.record) : nil
    }

    private func mezzanine(for plan: String, of record: OriginRecord) -> Mezzanine? {
        guard keepsMezzanine(of: record), !step.withLock({ $0.avoidsMezzanines }) else { return nil }
        return Mezzanine.smallest(for: plan, of: record.header)
    }

    /// The mezzanines to make with a variant, if they may be stored.
    func byproducts(of work: Work) -> [Mezzanine] {
        guard work.outcome.storable, keepsMezzanine(of: work.outcome.origin.record),
            !step.withLock({ $0.avoidsMezzanines })
        else { return [] }
        return Mezzanine.made(with: work.plan, of: work.outcome.origin.record.header)
    }

    /// Whether mezzanines may be shared with other nodes, like the originals that they are made of.
    var sharesMezzanines: Bool { parts.shared != nil && isResultShared && request.origin.keeps.originals.keepOnDisk }

    /// Whether a mezzanine of a storable original may be stored.
    private func keepsMezzanine(of record: OriginRecord) -> Bool {
        // A mezzanine of an original over the budget would decode all of it.
        let size = record.header.size
        let bytes = request.origin.source.limits.decodeBytes
        return request.origin.source.keepsMezzanines && parts.disk != nil
            && request.origin.keeps.originals.keepOnDisk
            && DecodeBudget.refusal(of: size, loadedSmallerBy: 1, within: bytes) == nil
    }
}
