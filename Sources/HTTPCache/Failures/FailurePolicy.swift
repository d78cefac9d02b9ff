/// How long failures are remembered, in seconds.
package struct FailurePolicy: Hashable, Sendable {
    /// The period for `.missing` if the origin states none.
    package var missing: Int64
    package var denied: Int64
    package var undecodable: Int64
    /// The period for the first `.failing`; each further consecutive failure doubles it.
    package var failing: Int64
    /// The longest period without a retry of a `.failing` origin, regardless of its `Retry-After`.
    package var failingMaximum: Int64
    /// The maximum number of failures; the oldest is evicted to make room.
    package var entries: Int
    /// The maximum bytes of failures; the oldest is evicted to make room.
    package var bytes = Int.max
    /// A digest of the configuration, without spaces; failures under another one are not restored.
    package var configuration = ""

    /// The upper bound of a lifetime that an origin states for a failure: a day.
    package static let longestStated: Int64 = 86_400

    /// Creates a policy; 0 disables a class.
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

    /// The number of seconds for which a failure is remembered.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures, including this one.
    ///   - hints: what the origin states about retries.
    ///   - spread: jitter from 0 to 255, constant per original: pauses differ by up to a quarter, so that originals of one origin
    ///     that failed together are not retried together.
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
    /// The longest period for a class if the origin states none, in seconds.
    func seconds(_ kind: FailureClass) -> Int64 {
        switch kind {
        case .missing: missing
        case .denied: denied
        case .undecodable: undecodable
        case .failing: failingMaximum
        }
    }
}

/// What an unsuccessful response states about retries.
package struct RetryHints: Hashable, Sendable {
    /// The explicit freshness lifetime in seconds (RFC 9111 §4.2.1); `nil` if there is none.
    package var lifetime: Int64?
    /// `Retry-After` in seconds (RFC 9110 §10.2.3); `nil` if absent.
    package var retryAfter: Int64?

    /// Creates hints; by default the origin states nothing.
    package init(lifetime: Int64? = nil, retryAfter: Int64? = nil) {
        self.lifetime = lifetime
        self.retryAfter = retryAfter
    }
}
