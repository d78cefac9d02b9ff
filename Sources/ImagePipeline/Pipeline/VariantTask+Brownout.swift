import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// What a variant task does for answers under overload (`BrownoutRule`).
extension VariantTask {
    /// Keeps a stale variant for the case that there is no room to make the current one (RFC 5861 §4).
    ///
    /// Called before the original is validated: a new original changes the terms of the stale variant's state.
    func keepAsLastResort(_ entity: Entity) {
        guard request.origin.source.brownout.isOn, context.demand == .none, !context.isRefresh, !context.isWarming,
            entity.mayBeUsedIfError(at: parts.time.wallSeconds, by: request),
            parts.failures.allowStale(request, for: context.caller)
        else { return }
        lastResort.withLock { $0 = entity }
    }

    /// The stale variant in place of a failure due to overload; `nil` for another result, and after a purge.
    func brownedOut(_ result: Result<Answer, PipelineError>) -> Result<Answer, PipelineError>? {
        guard case .failure(let error) = result, error.isOverload, let entity = lastResort.withLock({ $0 }),
            flight.mayPublish
        else { return nil }
        return .success(Answer(entity: entity, status: CacheStatus(error) ?? .hit(.stale), rung: .stale))
    }

    /// Remembers that a variant exists which may be served in place of smaller ones.
    func noteSize(of entity: Entity) {
        guard request.origin.source.brownout.isOn, entity.description.passReason == nil, tiers != .none,
            let plan = request.plan, PlainResize(canonicalText: plan) != nil
        else { return }
        parts.sizes.note(request.label(plan: plan), of: request.origin.key)
    }
}
