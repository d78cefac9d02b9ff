import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem

/// Requests of nodes, for variants whose originals this node owns.
extension ImageRoute {
    /// Handles the query of a node; on the loop's thread.
    ///
    /// The node has checked what the client may request, and counts the client's requests; here the work is charged to the client.
    /// The query is never passed on to a third node.
    func handle(
        _ query: NodeGate.Query,
        by gate: NodeGate,
        _ head: borrowing RequestHead,
        of site: Site,
        bytes: Span<UInt8>,
        context: RequestContext
    ) -> Reply {
        guard gate.isCurrent(for: query), let request = resolved(head, of: site, bytes, loop: context.loop),
            let variant = request.variant(with: query.key)
        else { return .now(Response(NodeAnswer.refusal, id: context.trace.id)) }
        let now = context.wallSeconds
        if let (entity, tier) = stored(variant, now: now) {
            if entity.isStandIn { pipeline.replaceStandIn(of: variant) }
            return .now(NodeAnswer.response(entity, .hit(tier), now: now).tagged(request.tag))
        }
        let waiting = WaitingRequest()
        let answer = context.promise(onCancel: { waiting.leave() })
        let deadline = variant.deadline(from: context.monotonic)
        let left = deadline.nanoseconds.map { Int(clamping: ($0 - context.monotonic) / 1_000_000) }
        // The other node knows that this one is alive, however long the origin takes.
        gate.heartbeat.begin(answer, within: left)
        let promise = SourcedPromise(answer, tag: request.tag)
        let tracing = tracer?.trace(of: context)
        tracing?.resolved(variant.origin)
        var load = LoadContext(caller: OriginCaller(head, bytes, context, of: tracing))
        load.caller.unkeyed = variant.origin.unkeyed
        load.account = query.account ?? context.account(in: site)
        load.priority = query.priority
        load.deadline = deadline
        let id = context.trace.id
        let subscription = pipeline.load(variant, load) { [self] result in
            switch result {
            case .success(let answer):
                if !answer.status.isCollapsed { metrics.stages.observe(answer.timings) }
                let response = NodeAnswer.response(answer.entity, answer.status, now: time.wallSeconds)
                promise.complete(response, AnswerNote(answer, end: time.monotonic))
            case .failure(let error):
                let problem = Problem(error)
                failures.tell(of: error, problem, source: variant.origin.source.name, id: id)
                promise.complete(NodeAnswer.response(error, problem, id: id))
            }
        }
        waiting.join(subscription)
        return .later
    }

    /// Resolves the target, without regard to permissions if the client has them at the other node only, as while keys are replaced.
    private func resolved(
        _ head: borrowing RequestHead,
        of site: Site,
        _ bytes: Span<UInt8>,
        loop: Int
    ) -> ResolvedRequest? {
        do throws(Problem) {
            return try resolvers[loop].resolve(head, of: site, in: bytes)
        } catch {
            guard error.status == 403 else { return nil }
            return try? site.resolver.withoutPermission.resolve(bytes.copy(site.target(of: head)))
        }
    }

    /// A variant that may be served without waiting.
    private func stored(_ variant: VariantRequest, now: Int64) -> (Entity, CacheStatus.Tier)? {
        if let entity = pipeline.cached(variant, now: now) { return (entity, .memory) }
        if let entity = pipeline.open(variant, now: now) { return (entity, .disk) }
        guard variant.origin.unkeyed == nil else { return nil }
        return pipeline.stale(variant, now: now).map { ($0, .stale) }
    }
}

extension ResolvedRequest {
    /// The variant with a key, for whichever client; `nil` if the configurations of two nodes differ.
    fileprivate func variant(with key: CacheKey) -> VariantRequest? {
        guard !isPersonal else { return nil }
        for choice in [choice, saving].compactMap(\.self) {
            for bucket in FormatBucket.allCases {
                let variant = choice.variant(for: bucket)
                if variant.key == key { return variant }
            }
        }
        return nil
    }
}
