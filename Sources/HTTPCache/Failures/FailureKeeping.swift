/// Persistent storage for failures; never throws: a failure that cannot be stored is forgotten.
package protocol FailureKeeping: Sendable {
    /// Stores a failure in place of the key's previous one; any thread, does not block.
    func keep(_ failure: KeptFailure)
    /// Removes a key's failure; any thread, does not block.
    func discardFailure(_ key: CacheKey)
    /// The stored failures, newest first; blocks.
    func keptFailures(limit: Int) -> [KeptFailure]
}

/// A failure in persistent storage; it expires by the wall clock, because the monotonic clock does not survive a restart.
package struct KeptFailure: Hashable, Sendable {
    /// The variant's key, or the original's if the original itself failed.
    package var key: CacheKey
    package var origin: CacheKey
    package var source: String
    /// The normalised upstream URL, for purging.
    package var identity: String
    /// The requested URL, for display.
    package var url: String
    package var plan: String?
    package var kind: FailureClass
    /// The stored name of the error's kind; the concrete failure type defines it.
    package var word: String
    /// The stored associated values of the error.
    package var payload: String
    /// The number of consecutive failures.
    package var failures: Int
    /// When the failure expires, in seconds of the wall clock.
    package var until: Int64
    /// Whether the original had a stored response when it failed.
    package var hasStored: Bool
    /// The configuration under which it occurred (`FailurePolicy.configuration`).
    package var configuration: String

    /// Creates a failure.
    package init(
        key: CacheKey,
        origin: CacheKey,
        source: String,
        identity: String,
        url: String,
        plan: String?,
        kind: FailureClass,
        word: String,
        payload: String,
        failures: Int,
        until: Int64,
        hasStored: Bool,
        configuration: String = ""
    ) {
        self.key = key
        self.origin = origin
        self.source = source
        self.identity = identity
        self.url = url
        self.plan = plan
        self.kind = kind
        self.word = word
        self.payload = payload
        self.failures = failures
        self.until = until
        self.hasStored = hasStored
        self.configuration = configuration
    }
}

extension KeptFailure {
    /// What purges select it by.
    var subject: PurgeSubject {
        var subject = PurgeSubject(origin: origin, source: source, url: identity)
        subject.plan = plan
        return subject
    }

    /// Whether the same request would probably fail again after a restart.
    func isValid(under policy: FailurePolicy) -> Bool {
        kind.survivesRestart && configuration == policy.configuration
    }
}
