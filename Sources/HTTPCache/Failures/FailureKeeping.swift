/// Where failures are kept over a restart; nothing here throws: what cannot be kept is forgotten.
package protocol FailureKeeping: Sendable {
    /// Keeps a failure in place of the key's old one; any thread, at once.
    func keep(_ failure: KeptFailure)
    /// Keeps a key's failure no longer; any thread, at once.
    func discardFailure(_ key: CacheKey)
    /// The failures that are kept, newest first; blocks.
    func keptFailures(limit: Int) -> [KeptFailure]
}

/// A failure as it is kept: it ends by the wall clock, since a restart has no other.
package struct KeptFailure: Hashable, Sendable {
    /// The variant's key, or the original's where that failed as a whole.
    package var key: CacheKey
    package var origin: CacheKey
    package var source: String
    /// The upstream URL in its normal form, for purging.
    package var identity: String
    /// The URL as it was asked, for people to read.
    package var url: String
    package var plan: String?
    package var kind: FailureClass
    /// The kind of error, as it is stored; its maker knows the words.
    package var word: String
    /// What the kind of error holds, as it is stored.
    package var payload: String
    /// How many there were in a row.
    package var failures: Int
    /// Seconds of the wall clock.
    package var until: Int64
    /// Whether something of the original was stored when it failed.
    package var hasStored: Bool

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
        hasStored: Bool
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
    }
}
