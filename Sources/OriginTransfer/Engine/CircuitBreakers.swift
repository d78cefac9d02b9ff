/// When the circuit breaker of a host opens, and for how long.
package struct BreakerPolicy: Hashable, Sendable {
    /// The number of URLs of a host that must fail in succession; 0 disables the breakers.
    package var failures: Int
    /// Milliseconds of the first pause; each failed probe doubles it.
    package var pause: Int
    /// Milliseconds of the longest pause.
    package var pauseMaximum: Int

    /// Creates a policy.
    package init(failures: Int = 5, pause: Int = 5_000, pauseMaximum: Int = 60_000) {
        self.failures = failures
        self.pause = pause
        self.pauseMaximum = pauseMaximum
    }
}

/// The circuit breaker of a host that is not closed.
package struct OpenBreaker: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// No request is sent.
        case open
        /// The pause is over: one request probes the host.
        case halfOpen = "half-open"
    }

    package var source: String
    /// Scheme, host and port.
    package var origin: String
    package var state: State
    /// Seconds until the next probe, rounded up.
    package var secondsLeft: Int64
}

/// Stops requests to hosts that fail, and probes them after a pause (the circuit breaker pattern).
///
/// A breaker belongs to a source and an origin, so that requests through `/fetch` never open that of a configured source. It opens
/// after failures of different URLs in succession: one that always fails opens nothing. When the pause ends, it is half-open,
/// and one request probes the host: its success closes the breaker, its failure doubles the pause. Performs no I/O; the
/// transfer thread owns it.
struct CircuitBreakers<Key: Hashable> {
    /// What a request may do.
    enum Verdict: Hashable {
        case pass
        /// The request is the probe; its outcome must be recorded.
        case probe
        case refused(secondsLeft: Int64)
    }

    /// What a request says about its host.
    enum Outcome {
        /// The host responds.
        case answered
        /// The host cannot be reached, does not respond, or says itself that it cannot (502, 503, 504).
        case failed
        /// Nothing: cancelled, refused by the address policy, or failed here.
        case unknown
    }

    private struct Breaker {
        /// Hashes of the URLs that failed since the last success.
        var failed: Set<Int> = []
        /// Pauses in succession.
        var openings = 0
        /// Monotonic nanoseconds of the pause's end; 0 while closed.
        var until: Int64 = 0
        var isProbing = false
        /// Monotonic nanoseconds of the last failure.
        var touched: Int64 = 0
    }

    /// Maximum hosts per source whose failures are known; the one that failed longest ago is forgotten for a new one.
    static var hostsPerSource: Int { 256 }

    private(set) var policy: BreakerPolicy
    /// How often breakers have opened, failed probes not counted.
    private(set) var openings = 0
    private var breakers: [String: [Key: Breaker]] = [:]

    init(_ policy: BreakerPolicy = BreakerPolicy()) {
        self.policy = policy
    }

    /// Whether a request may wait for a connection to the host; never makes it the probe.
    ///
    /// - Parameter insists: whether the request may probe the host before the pause ends.
    func verdict(_ source: String, _ key: Key, insists: Bool = false, at now: Int64) -> Verdict {
        guard policy.failures > 0, let breaker = breakers[source]?[key], breaker.until > 0 else { return .pass }
        guard breaker.until <= now || insists else { return .refused(secondsLeft: Self.seconds(breaker.until - now)) }
        return breaker.isProbing ? .refused(secondsLeft: 1) : .probe
    }

    /// Whether a request may be sent now; the first one after the pause becomes the probe.
    ///
    /// - Parameter insists: whether the request may probe the host before the pause ends.
    mutating func admit(_ source: String, _ key: Key, insists: Bool = false, at now: Int64) -> Verdict {
        let verdict = verdict(source, key, insists: insists, at: now)
        if verdict == .probe { breakers[source]?[key]?.isProbing = true }
        return verdict
    }

    /// Records the outcome of a request.
    ///
    /// While the breaker is open, only the probe's outcome counts: others were sent before it opened.
    ///
    /// - Returns: whether the breaker has opened now.
    mutating func record(
        _ outcome: Outcome,
        _ source: String,
        _ key: Key,
        url: Int,
        isProbe: Bool,
        at now: Int64
    ) -> Bool {
        var breaker = breakers[source]?[key] ?? Breaker()
        guard isProbe || breaker.until == 0 else { return false }
        switch outcome {
        case .unknown:
            if isProbe { breakers[source]?[key]?.isProbing = false }
            return false
        case .answered:
            forget(source, key)
            return false
        case .failed:
            guard policy.failures > 0 else { return false }
            breaker.touched = now
            breaker.failed.insert(url)
            let opens = isProbe || breaker.failed.count >= policy.failures
            if opens {
                breaker.isProbing = false
                breaker.until = now + pause(after: breaker.openings)
                breaker.openings += 1
                if !isProbe { openings += 1 }
            }
            keep(breaker, source, key)
            return opens
        }
    }

    /// Whether a failure of the host is known.
    func isTracked(_ source: String, _ key: Key) -> Bool { breakers[source]?[key] != nil }

    /// Closes all breakers of a source; without one, of all.
    mutating func close(_ source: String? = nil) {
        if let source { breakers[source] = nil } else { breakers = [:] }
    }

    /// Replaces the policy; pauses under way end as they would have.
    mutating func setPolicy(_ policy: BreakerPolicy) {
        self.policy = policy
        if policy.failures == 0 { breakers = [:] }
    }

    /// The breakers that are not closed, with the time at which their pause ends.
    var open: [(source: String, key: Key, until: Int64)] {
        breakers.flatMap { source, hosts in
            hosts.filter { $0.value.until > 0 }.map { (source, $0.key, $0.value.until) }
        }
    }

    /// Nanoseconds as seconds, rounded up, at least 1.
    static func seconds(_ nanoseconds: Int64) -> Int64 { max(1, (nanoseconds + 999_999_999) / 1_000_000_000) }

    private func pause(after openings: Int) -> Int64 {
        let longest = Int64(max(1, policy.pauseMaximum)) * 1_000_000
        let (pause, overflow) = (Int64(max(1, policy.pause)) * 1_000_000)
            .multipliedReportingOverflow(by: 1 << Int64(min(openings, 20)))
        return overflow ? longest : min(pause, longest)
    }

    private mutating func keep(_ breaker: Breaker, _ source: String, _ key: Key) {
        if breakers[source]?[key] == nil, breakers[source]?.count ?? 0 >= Self.hostsPerSource,
            let oldest = breakers[source]?.min(by: { $0.value.touched < $1.value.touched })?.key
        {
            forget(source, oldest)
        }
        breakers[source, default: [:]][key] = breaker
    }

    private mutating func forget(_ source: String, _ key: Key) {
        breakers[source]?[key] = nil
        if breakers[source]?.isEmpty == true { breakers[source] = nil }
    }
}
