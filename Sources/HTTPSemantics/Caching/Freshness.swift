/// The freshness of a stored response (RFC 9111 §4.2), in seconds of the wall clock.
///
/// The numbers of a damaged index may be any. If one of them is beyond what clocks and fields can say, the response counts as
/// received in 1970 and stale since, and no sum overflows.
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

    /// Whether a time or a duration in seconds is one that clocks and fields can say, so that sums of a few of them do not overflow.
    package static func isPossible(_ seconds: Int64) -> Bool {
        // Some 35,000 years; dates have four digits of a year (RFC 9110 §5.6.7).
        seconds.magnitude < 1 << 40
    }

    /// The freshness to reckon with.
    private var sound: Freshness {
        let isSound = Self.isPossible(responseTime) && Self.isPossible(initialAge) && Self.isPossible(lifetime)
        return isSound ? self : Freshness(responseTime: 0, initialAge: 0, lifetime: 0)
    }

    /// The time at which the response's age was zero.
    package var bornAt: Int64 {
        let sound = sound
        return sound.responseTime - sound.initialAge
    }

    /// The first second at which the response is stale.
    package var staleAt: Int64 {
        let sound = sound
        return sound.responseTime - sound.initialAge + sound.lifetime
    }

    /// The seconds since the response was received; if the clock has gone backwards, no time has passed.
    package func elapsed(at now: Int64) -> Int64 { max(0, now - sound.responseTime) }

    /// `current_age` (RFC 9111 §4.2.3).
    package func age(at now: Int64) -> Int64 { sound.initialAge + elapsed(at: now) }

    /// The seconds for which the response has been stale; negative while it is fresh.
    package func staleness(at now: Int64) -> Int64 { age(at: now) - sound.lifetime }

    /// Whether the response may be served without contacting the origin.
    package func isFresh(at now: Int64) -> Bool { staleness(at: now) < 0 }
}
