/// The circuit breaker of a node: whether it is asked.
///
/// After some failures in succession the node is left out for a pause. Then one request probes it: its success closes the breaker,
/// its failure doubles the pause. A value; times are monotonic nanoseconds.
struct NodeBreaker: Hashable, Sendable {
    /// The failures in succession that open the breaker.
    static let failures = 3
    /// Nanoseconds of the first pause.
    static let firstPause: Int64 = 1_000_000_000
    /// Nanoseconds of the longest pause.
    static let longestPause: Int64 = 30_000_000_000

    private var failed = 0
    /// Pauses in succession; 0 while closed.
    private var pauses = 0
    private var until: Int64 = 0
    private var isProbing = false

    /// Whether the node is left out, or probed by one request.
    var isOpen: Bool { pauses > 0 }

    /// Whether a request may be sent, as a probe if the breaker is open.
    func permits(at now: Int64) -> Bool { !isOpen || !isProbing && now >= until }

    /// Begins a request that is permitted.
    mutating func begin() { if isOpen { isProbing = true } }

    /// Ends a request.
    ///
    /// - Parameter hasAnswered: `nil` if it says nothing about the node.
    mutating func end(hasAnswered: Bool?, at now: Int64) {
        switch hasAnswered {
        case nil: isProbing = false
        case true?: self = NodeBreaker()
        case false?:
            // Requests that were sent before the breaker opened do not prolong the pause.
            guard !isOpen || isProbing else { return }
            failed += 1
            guard isOpen || failed >= Self.failures else { return }
            until = now + min(Self.longestPause, Self.firstPause << Int64(min(pauses, 8)))
            pauses += 1
            isProbing = false
        }
    }
}
