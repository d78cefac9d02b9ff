/// For how long failures are remembered, in seconds.
package struct FailurePolicy: Hashable, Sendable {
    /// Of `.missing`, where the origin does not say.
    package var missing: Int64
    package var denied: Int64
    package var undecodable: Int64
    /// Of the first `.failing`; each further one in a row doubles it.
    package var failing: Int64
    /// The longest that a `.failing` origin is left alone, whatever its `Retry-After` says.
    package var failingMaximum: Int64
    /// The most failures that are remembered; one more makes the oldest be forgotten.
    package var entries: Int

    /// The longest that an origin's own words about a failure count: a day.
    package static let longestStated: Int64 = 86_400

    /// Creates a policy; 0 remembers no failure of that class.
    package init(
        missing: Int64 = 300,
        denied: Int64 = 60,
        undecodable: Int64 = 600,
        failing: Int64 = 1,
        failingMaximum: Int64 = 60,
        entries: Int = 100_000
    ) {
        self.missing = missing
        self.denied = denied
        self.undecodable = undecodable
        self.failing = failing
        self.failingMaximum = failingMaximum
        self.entries = entries
    }

    /// Seconds for which a failure is remembered.
    ///
    /// - Parameters:
    ///   - failures: how many there were in a row, this one included.
    ///   - hints: what the origin said about the next try.
    ///   - spread: 0–255, the same for one original: pauses differ by up to a quarter, so that originals of one origin that failed
    ///     together are not asked for together.
    func seconds(_ kind: FailureClass, failures: Int, hints: RetryHints, spread: UInt8) -> Int64 {
        switch kind {
        case .missing:
            guard missing > 0, let stated = hints.lifetime else { return missing }
            return min(stated, Self.longestStated)
        case .denied: return denied
        case .undecodable: return undecodable
        case .failing:
            guard failing > 0 else { return 0 }
            let doublings = min(failures - 1, 30)
            let (doubled, overflow) = failing.multipliedReportingOverflow(by: 1 << doublings)
            let pause = overflow ? failingMaximum : min(doubled, failingMaximum)
            let jittered = pause + pause / 1024 * Int64(spread) + pause % 1024 * Int64(spread) / 1024
            return min(max(jittered, hints.retryAfter ?? 0), failingMaximum)
        }
    }
}

extension FailurePolicy {
    /// The longest that a failure of a class lasts where its origin says nothing, in seconds.
    func seconds(_ kind: FailureClass) -> Int64 {
        switch kind {
        case .missing: missing
        case .denied: denied
        case .undecodable: undecodable
        case .failing: failingMaximum
        }
    }
}

/// What an origin says with a failure about the next try.
package struct RetryHints: Hashable, Sendable {
    /// Seconds of explicit freshness (RFC 9111 §4.2.1); `nil` without.
    package var lifetime: Int64?
    /// Seconds of `Retry-After` (RFC 9110 §10.2.3).
    package var retryAfter: Int64?

    /// Creates hints; by default the origin says nothing.
    package init(lifetime: Int64? = nil, retryAfter: Int64? = nil) {
        self.lifetime = lifetime
        self.retryAfter = retryAfter
    }
}
