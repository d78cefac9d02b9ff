import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Using results that other nodes of a cluster have made, and storing this node's for them.
///
/// They are looked up as soon as the original's record is known: its content is not needed for a variant that is stored.
extension VariantTask {
    /// Whether results of other nodes may be used, and their store is not failing.
    var mayUseSharedResults: Bool {
        guard let shared = parts.shared, request.plan != nil, isResultShared else { return false }
        return shared.isAvailable
    }

    /// Whether results may be shared: their originals are the same on all nodes, and both may be stored.
    var isResultShared: Bool {
        let origins = [request.origin] + request.auxiliaries.map(\.origin)
        return request.tiers.keepOnDisk && origins.allSatisfy { $0.url != nil && !$0.source.isFolder }
    }

    /// Looks up the result, first what is stored here by the name of another request, then in the shared store.
    ///
    /// - Parameter otherwise: called if there is none; on the thread of the caller, or the read lane.
    func useSharedResult(of outcome: OriginOutcome, otherwise: @escaping @Sendable () -> Void) {
        let record = outcome.origin.record
        // An original that has just been downloaded is new to all nodes.
        guard mayUseSharedResults, outcome.fetchMicroseconds == 0 || outcome.body == nil, let plan = request.plan,
            request.reasonToPass(record) == nil,
            HeaderGate.refusal(of: record.header.format, source: request.origin.source) == nil
        else { return otherwise() }
        gather(needsBodies: false, otherwise: { _ in otherwise() }) { [self] auxiliaries in
            let others = auxiliaries.map(\.origin.record)
            let resolved = ResolvedVariant(request, plan: plan, of: record, with: others)
            let joined = outcome.joined(by: auxiliaries)
            if let key = resolved?.key,
                let found = ResolvedStage(parts: parts).find(key, for: request, of: record, with: others),
                adopt(found, of: joined, with: auxiliaries)
            {
                return
            }
            let subject = PurgeSubject(request).known(record)
            flight.enter(.disk)
            let key = sharedKey(resolved, others)
            parts.shared?.find(result: key, of: record.digest, for: subject) { [self] received in
                let isTaken = parts.readLane.submit { [self] in
                    guard let result = received?.decoded(), use(result, resolved, of: joined, with: auxiliaries)
                    else { return otherwise() }
                }
                if !isTaken { end(.failure(.diskQueueFull)) }
            }
        }
    }

    /// Ends with a result of another node.
    ///
    /// - Returns: false if it is not what this node would have made.
    private func use(
        _ result: SharedResult,
        _ resolved: ResolvedVariant?,
        of outcome: OriginOutcome,
        with auxiliaries: [OriginOutcome]
    ) -> Bool {
        guard let plan = request.plan, let picture = VariantMetadata(encoded: result.record.metadata),
            !picture.isStandIn,
            resolved?.isResult(result.record) ?? true
        else { return false }
        var record = VariantRecord(
            key: request.key,
            origin: request.origin.key,
            originDigest: outcome.origin.record.digest,
            plan: request.label(plan: plan),
            presets: request.presets,
            length: result.bytes.count,
            digest: result.record.digest,
            metadata: result.record.metadata
        )
        record.resolved = resolved?.key
        record.auxiliaries = auxiliaries.map {
            VariantRecord.Auxiliary(key: $0.origin.record.key, digest: $0.origin.record.digest)
        }
        record.placeholder = nil
        let found = ResolvedStage.Found(
            record: record,
            body: .memory(result.bytes),
            tier: .shared,
            placeholder: result.record.placeholder
        )
        return adopt(found, of: outcome, with: auxiliaries)
    }

    /// Queues a new result for the other nodes.
    ///
    /// - Parameter placeholder: that of the original, which nodes with the result alone could not compute.
    func share(
        _ record: VariantRecord,
        _ placeholder: Placeholder?,
        _ bytes: [UInt8],
        _ made: TransformResult,
        _ work: Work
    ) {
        // One that was not predicted is not found under the resolved key.
        guard isResultShared, !record.isStandIn, work.resolved?.isResult(record) ?? true, let shared = parts.shared
        else { return }
        var record = record
        record.placeholder = placeholder
        let microseconds = Int(made.timing.decode) + Int(made.timing.transform) + Int(made.timing.encode)
        shared.store(
            result: record,
            bytes: bytes,
            plan: sharedKey(work.resolved, work.auxiliaries.map(\.origin.record)),
            for: PurgeSubject(request).known(work.outcome.origin.record),
            at: place,
            milliseconds: microseconds / 1_000
        )
    }

    /// The hash of everything that a result depends on besides the content of the original.
    private func sharedKey(_ resolved: ResolvedVariant?, _ auxiliaries: [OriginRecord]) -> CacheKey {
        if let resolved { return resolved.key }
        let digests = auxiliaries.map { "\n\($0.digest)" }.joined()
        return CacheKey(hashing: "unresolved/1\n\(request.key)\(digests)")
    }
}
