/// What the settings of a source say to the cache.
package struct CacheRule: Hashable, Sendable {
    /// The source's name.
    package var name: String
    /// Whether requests and responses pass through as they are.
    package var isRaw: Bool
    /// Whether a raw source's responses with `Set-Cookie` are stored (RFC 6265 §3).
    package var storesCookies: Bool
    /// Whether failures of the origin are remembered.
    package var negative: Bool
    /// Seconds of freshness where the origin says nothing.
    package var ttl: Int64
    /// Lower bound in seconds of what the origin says.
    package var ttlMinimum: Int64
    /// Upper bound in seconds of what the origin says.
    package var ttlMaximum: Int64
    /// Seconds of stale use while the origin is asked, where it says nothing (RFC 5861 §3).
    package var staleWhileRevalidate: Int64
    /// Seconds of stale use when the origin fails, where it says nothing (RFC 5861 §4).
    package var staleIfError: Int64
    /// The tiers that keep responses and what is derived from them.
    package var cache: CachePolicy
    /// Whether responses are files of this machine.
    package var isFolder: Bool
    /// Whether requests name the whole URL.
    package var isRemote: Bool

    /// Creates a rule.
    package init(
        name: String,
        isRaw: Bool,
        storesCookies: Bool,
        negative: Bool,
        ttl: Int64,
        ttlMinimum: Int64,
        ttlMaximum: Int64,
        staleWhileRevalidate: Int64,
        staleIfError: Int64,
        cache: CachePolicy,
        isFolder: Bool,
        isRemote: Bool
    ) {
        self.name = name
        self.isRaw = isRaw
        self.storesCookies = storesCookies
        self.negative = negative
        self.ttl = ttl
        self.ttlMinimum = ttlMinimum
        self.ttlMaximum = ttlMaximum
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.cache = cache
        self.isFolder = isFolder
        self.isRemote = isRemote
    }
}
