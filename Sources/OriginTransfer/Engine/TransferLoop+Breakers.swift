import HTTPSemantics
import LinuxSystem

/// Circuit breakers, suspension and changes of the settings.
extension TransferLoop {
    /// Ends a load whose host is refused by its breaker, or passes it to the next mirror; otherwise returns false.
    func isRefused(_ transfer: Transfer, by verdict: CircuitBreakers<String>.Verdict) -> Bool {
        guard case .refused(let seconds) = verdict else { return false }
        counters.update { $0.refusedByBreakers += 1 }
        refuse(transfer, .circuitOpen(secondsLeft: seconds))
        return true
    }

    /// Records what a request says about its host; ends the loads that wait for a host whose breaker opens.
    func record(_ outcome: CircuitBreakers<String>.Outcome, _ transfer: Transfer) {
        let lane = transfer.lane
        let (before, wasProbe) = (breakers.isTracked(lane.source, lane.origin), transfer.isProbe)
        let opens = breakers.record(
            outcome,
            lane.source,
            lane.origin,
            url: transfer.url.text.hashValue,
            isProbe: transfer.isProbe,
            at: time.monotonic
        )
        transfer.isProbe = false
        guard before || opens else { return }
        publishBreakers()
        if wasProbe, outcome == .answered { configuration.breakerChanged(lane.source, lane.origin, false) }
        if opens, !wasProbe { configuration.breakerChanged(lane.source, lane.origin, true) }
        guard opens else { return }
        for waiting in lanes.waiting(where: { $0 == lane }) {
            _ = isRefused(waiting, by: breakers.verdict(lane.source, lane.origin, at: time.monotonic))
        }
    }

    /// Copies the breakers to the statistics.
    private func publishBreakers() {
        let (open, openings) = (breakers.open, breakers.openings)
        counters.update {
            $0.breakerOpenings = openings
            $0.pauses = open.map { TransferStatistics.Pause(source: $0.source, origin: $0.key, until: $0.until) }
        }
    }

    /// Ends the waiting loads of a source; those in progress finish.
    func suspend(_ source: String) {
        let pausing = transfers.values.filter { $0.options.source == source && $0.repeatDue != .max }
        for transfer in pausing { end(transfer, .failure(.suspended)) }
        for transfer in lanes.waiting(where: { $0.source == source }) { end(transfer, .failure(.suspended)) }
    }

    /// Applies other settings to waiting and later loads.
    func adjust(_ scheduling: TransferScheduling, _ policy: BreakerPolicy) {
        lanes.setScheduling(scheduling)
        breakers.setPolicy(policy)
        publishBreakers()
    }

    /// Closes the breakers of a source, or all.
    func closeBreakers(_ source: String?) {
        breakers.close(source)
        publishBreakers()
    }
}
