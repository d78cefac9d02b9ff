package import LinuxSystem

/// Keeps requests from a store that fails: after several failures in succession it opens for a time, which doubles with each
/// failed probe; any thread.
package final class StoreBreaker: Sendable {
    /// The limits of a breaker.
    package struct Policy: Hashable, Sendable {
        /// Failures in succession that open it.
        package var failures = 5
        /// The first pause, in milliseconds; each failed probe doubles it.
        package var first: Int64 = 1_000
        /// The longest pause, in milliseconds.
        package var longest: Int64 = 30_000

        /// Creates the default limits.
        package init() {}
    }

    private struct State: Sendable {
        var failures = 0
        /// The pause of the last opening, in milliseconds; 0 while closed.
        var pause: Int64 = 0
        /// The monotonic time of the next probe.
        var until: Int64 = 0
        var isProbing = false
    }

    private let policy: Policy
    private let time: any TimeSource
    private let state = Lock(State())

    /// Creates a closed breaker.
    package init(_ policy: Policy = Policy(), time: any TimeSource) {
        self.policy = policy
        self.time = time
    }

    /// Whether a request may be sent; `succeed`, `fail` or `release` must follow.
    package func admits() -> Bool {
        let now = time.monotonic
        return state.withLock { state in
            guard state.pause > 0 else { return true }
            guard !state.isProbing, now >= state.until else { return false }
            state.isProbing = true
            return true
        }
    }

    /// Whether `admits` would return true.
    package var isAdmitting: Bool {
        let now = time.monotonic
        return state.withLock { $0.pause == 0 || !$0.isProbing && now >= $0.until }
    }

    /// The store has responded: closes the breaker.
    package func succeed() { state.withLock { $0 = State() } }

    /// The store has failed.
    package func fail() {
        let now = time.monotonic
        state.withLock { state in
            state.failures += 1
            guard state.isProbing || state.pause == 0 && state.failures >= policy.failures else { return }
            state.isProbing = false
            state.pause = state.pause == 0 ? policy.first : min(state.pause * 2, policy.longest)
            state.until = now + state.pause * 1_000_000
        }
    }

    /// The request was not sent.
    package func release() { state.withLock { $0.isProbing = false } }

    /// Whether it is open, or waits for the result of a probe.
    package var isOpen: Bool { state.withLock { $0.pause > 0 } }
}
