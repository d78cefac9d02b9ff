import HTTPCache
import HTTPSemantics
import LinuxSystem

/// Whether a variant's transform may be tried, after failures of others of the same original.
extension VariantTask {
    /// Ends the request with a remembered failure of work on the original that costs at most as much.
    ///
    /// The plans of presets are always tried, so that nobody's heavy plan can make them unavailable.
    func admits(_ cost: WorkClass) -> Bool {
        // The failure was not considered before the original was validated, which has forgotten it if there are other bytes.
        if !parts.progress.trustsUnvalidated, !context.demand.retryFailed,
            case .blocked(let failure) = parts.failures.verdict(request.key)
        {
            end(.failure(failure))
            return false
        }
        guard !request.isPresetPlan, !context.demand.retryFailed else { return true }
        let key = cost.failureKey(of: request.origin.key)
        // After a useless mezzanine, the task comes here again, and its own probe must not refuse it.
        guard step.withLock({ $0.probe }) != key else { return true }
        switch parts.failures.admit(cost, on: request.origin.key) {
        case .clear: return true
        case .probe:
            step.withLock { $0.probe = key }
            // Other requests must not wait for a retry that may take as long as the failed one.
            flight.detach()
            if flight.isOver { endProbes() }
            return true
        case .blocked(let failure):
            end(.failure(failure))
            return false
        }
    }

    /// The error of a request for which no worker is free in time, before its original is downloaded in vain.
    ///
    /// With `brownout`, the original is needed for the answer. A stored original is not looked up first: under such load, a result of it
    /// would be refused, too.
    func refusalBeforeDownload() -> PipelineError? {
        guard request.plan != nil, context.account != nil, context.priority > .background, !context.isRefresh,
            !context.isWarming, !request.origin.source.brownout.isOn
        else { return nil }
        var first: PipelineError?
        // Another client may have joined.
        for claim in context.claims.turns(else: Claim(context.account, context.priority)) {
            guard let refusal = parts.transformer.refusal(of: claim.account) else { return nil }
            first = first ?? refusal
        }
        return first
    }

    /// Ends the probes that have no outcome.
    func endProbes() {
        if context.isProbe { parts.failures.giveUp(request.key) }
        let probe = step.withLock { $0.probe.take() }
        if let probe { parts.failures.giveUp(probe) }
    }
}
