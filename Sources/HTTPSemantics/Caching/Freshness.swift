/// The freshness of a stored response (RFC 9111 §4.2), in seconds of the wall clock.
package struct Freshness: Hashable, Sendable {
    /// The time the response was received, in seconds since 1970.
    package var responseTime: Int64
    /// The age of the response when received: `corrected_initial_age` of RFC 9111 §4.2.3.
    package var initialAge: Int64
    /// `freshness_lifetime` of RFC 9111 §4.2.1.
    package var lifetime: Int64

    /// Creates a freshness.
    package init(responseTime: Int64, initialAge: Int64, lifetime: Int64) {
        self.responseTime = responseTime
        self.initialAge = initialAge
        self.lifetime = lifetime
    }

    /// The time at which the response's age was zero.
    package var bornAt: Int64 { responseTime &- initialAge }

    /// The first second at which the response is stale, at most `Int64.max`.
    package var staleAt: Int64 {
        let (sum, overflow) = bornAt.addingReportingOverflow(lifetime)
        return overflow ? .max : sum
    }

    /// `current_age` (RFC 9111 §4.2.3); if the clock has gone backwards, no time has passed.
    package func age(at now: Int64) -> Int64 { initialAge + max(0, now - responseTime) }

    /// Whether the response may be served without contacting the origin.
    package func isFresh(at now: Int64) -> Bool { lifetime > age(at: now) }
}
