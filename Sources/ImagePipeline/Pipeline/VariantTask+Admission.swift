import HTTPCache
import LinuxSystem

/// Whether a variant's transform may be tried, after failures of others of the same original.
extension VariantTask {
    /// Ends the request with a remembered failure of work on the original that costs at most as much.
    ///
    /// The plans of presets are always tried, so that nobody's heavy plan can make them unavailable.
    func admits(_ cost: WorkClass) -> Bool {
        guard !request.isPresetPlan, !context.demand.retryFailed else { return true }
        switch parts.failures.admit(cost, on: request.origin.key) {
        case .clear: return true
        case .probe:
            step.withLock { $0.probe = cost.failureKey(of: request.origin.key) }
            // Other requests must not wait for a retry that may take as long as the failed one.
            flight.detach()
            if flight.isOver { endProbes() }
            return true
        case .blocked(let failure):
            end(.failure(failure))
            return false
        }
    }

    /// Ends the probes that have no outcome.
    func endProbes() {
        if context.isProbe { parts.failures.giveUp(request.key) }
        let probe = step.withLock { $0.probe.take() }
        if let probe { parts.failures.giveUp(probe) }
    }
}
