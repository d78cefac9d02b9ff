/// The properties of a stored response that decide whether it may be reused.
package struct ReuseTerms: Sendable {
    /// The current age in seconds (RFC 9111 §4.2.3).
    package var age: Int64
    /// The remaining lifetime in seconds; zero or negative if stale.
    package var left: Int64
    /// Whether each use requires validation: `no-cache`, or purges that may have been missed.
    package var needsValidation = false
    /// Whether stale use is forbidden even if the request accepts it (RFC 9111 §4.2.4).
    package var forbidsStale: Bool
    /// Seconds after expiry during which it may be served stale while it is revalidated.
    package var staleWhileRevalidate: Int64

    /// Creates terms.
    package init(
        age: Int64,
        left: Int64,
        needsValidation: Bool = false,
        forbidsStale: Bool,
        staleWhileRevalidate: Int64
    ) {
        self.age = age
        self.left = left
        self.needsValidation = needsValidation
        self.forbidsStale = forbidsStale
        self.staleWhileRevalidate = staleWhileRevalidate
    }
}

/// What a node knew of purges when it began to ask an origin.
package struct PurgeStamp: Hashable, Sendable {
    /// The last applied entry of the log: purges up to it do not concern the response.
    package var sequence: Int64 = 0
    /// The era in which the request began.
    package var era: Int64 = 0
    /// When the request began, in nanoseconds of the monotonic clock; not stored.
    package var beganAt = Int64.min

    /// Creates a stamp; without arguments, that of a node outside of a cluster.
    package init(sequence: Int64 = 0, era: Int64 = 0, beganAt: Int64 = .min) {
        self.sequence = sequence
        self.era = era
        self.beganAt = beganAt
    }

    /// The stamp of a response that is of no era, so that it is validated before it is used.
    package static let unknown = PurgeStamp(era: -1)

    /// The stamp of what another node has said.
    ///
    /// It may lack the purges of the second before it was asked, so that a node out of touch cannot use it for a second more.
    package var secondHand: PurgeStamp { PurgeStamp(sequence: sequence, era: era) }
}
