package import LinuxSystem

/// Whether a store or a node is asked; a value.
///
/// After several failures in succession the breaker opens for a pause. Then one request probes what has failed: its failure doubles the
/// pause, and any answer closes the breaker. Other requests were sent before it opened, and end without effect unless they are answered.
package struct CircuitBreaker: Hashable, Sendable {
    /// The limits of a breaker.
    package struct Policy: Hashable, Sendable {
        /// Failures in succession that open it.
        package var failures: Int
        /// The first pause, in milliseconds; each failed probe doubles it.
        package var first: Int64 = 1_000
        /// The longest pause, in milliseconds.
        package var longest: Int64 = 30_000

        /// Creates limits.
        package init(failures: Int = 5) { self.failures = failures }
    }

    /// A request that was begun, by which the breaker recognises its probe.
    package struct Ticket: Hashable, Sendable {
        /// The number of the probe; 0 for any other request.
        fileprivate var probe: UInt64 = 0
    }

    private let policy: Policy
    private var failures = 0
    /// The pause of the last opening, in milliseconds; 0 while closed.
    private var pause: Int64 = 0
    /// The monotonic time of the next probe, in nanoseconds.
    private var until: Int64 = 0
    /// The number of the last probe.
    private var probes: UInt64 = 0
    private var isProbing = false

    /// Creates a closed breaker.
    package init(_ policy: Policy = Policy()) { self.policy = policy }

    /// Whether it leaves requests out, but for a probe.
    package var isOpen: Bool { pause > 0 }

    /// Whether a request may be sent, as the probe if the breaker is open.
    package func permits(at now: Int64) -> Bool { !isOpen || !isProbing && now >= until }

    /// Begins a request that is permitted; `end` must follow.
    package mutating func begin() -> Ticket {
        guard isOpen else { return Ticket() }
        isProbing = true
        probes += 1
        return Ticket(probe: probes)
    }

    /// Ends a request.
    ///
    /// - Parameter hasAnswered: `nil` if it says nothing, or was not sent.
    package mutating func end(_ ticket: Ticket, hasAnswered: Bool?, at now: Int64) {
        let isProbe = isProbing && ticket.probe == probes
        switch hasAnswered {
        case nil: if isProbe { isProbing = false }
        case true?: (failures, pause, isProbing) = (0, 0, false)
        case false?:
            guard isProbe || !isOpen else { return }
            failures += 1
            guard isProbe || failures >= policy.failures else { return }
            isProbing = false
            pause = isOpen ? min(pause * 2, policy.longest) : policy.first
            until = now + pause * 1_000_000
        }
    }
}

/// A circuit breaker with a clock; any thread.
package final class SharedBreaker: Sendable {
    private let time: any TimeSource
    private let state: Lock<CircuitBreaker>
    private let changed: @Sendable (_ reason: String?) -> Void

    /// Creates a closed breaker.
    ///
    /// - Parameter changed: called when it opens, with the reason, and when it closes, with `nil`; on the thread of the request that ended.
    package init(
        _ policy: CircuitBreaker.Policy = CircuitBreaker.Policy(),
        time: any TimeSource,
        changed: @escaping @Sendable (_ reason: String?) -> Void = { _ in }
    ) {
        self.time = time
        self.changed = changed
        state = Lock(CircuitBreaker(policy))
    }

    /// Begins a request; `end` must follow.
    ///
    /// - Returns: `nil` if it may not be sent.
    package func begin() -> CircuitBreaker.Ticket? {
        let now = time.monotonic
        return state.withLock { $0.permits(at: now) ? $0.begin() : nil }
    }

    /// Ends a request.
    ///
    /// - Parameters:
    ///   - hasAnswered: `nil` if it says nothing, or was not sent.
    ///   - reason: why it has failed.
    package func end(
        _ ticket: CircuitBreaker.Ticket,
        hasAnswered: Bool?,
        because reason: @autoclosure () -> String = ""
    ) {
        let now = time.monotonic
        let (wasOpen, isOpen) = state.withLock { breaker in
            let wasOpen = breaker.isOpen
            breaker.end(ticket, hasAnswered: hasAnswered, at: now)
            return (wasOpen, breaker.isOpen)
        }
        if wasOpen != isOpen { changed(isOpen ? reason() : nil) }
    }

    /// Whether `begin` would return a ticket.
    package var isAdmitting: Bool {
        let now = time.monotonic
        return state.withLock { $0.permits(at: now) }
    }

    /// Whether it is open, or waits for the result of a probe.
    package var isOpen: Bool { state.withLock { $0.isOpen } }
}
