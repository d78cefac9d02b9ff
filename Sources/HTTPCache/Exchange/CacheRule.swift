/// The cache settings of a source.
package struct CacheRule: Hashable, Sendable {
    /// The source's name.
    package var name: String
    /// Whether requests and responses are passed through unchanged.
    package var isRaw: Bool
    /// Whether a raw source's responses with `Set-Cookie` are stored (RFC 6265 §3).
    package var storesCookies: Bool
    /// Whether failures of the origin are remembered.
    package var negative: Bool
    /// Default lifetime in seconds, if the origin states none.
    package var ttl: Int64
    /// Minimum of the lifetime that the origin states, in seconds.
    package var ttlMinimum: Int64
    /// Maximum of the lifetime that the origin states, in seconds.
    package var ttlMaximum: Int64
    /// Default `stale-while-revalidate` in seconds, if the origin states none (RFC 5861 §3).
    package var staleWhileRevalidate: Int64
    /// Default `stale-if-error` in seconds, if the origin states none (RFC 5861 §4).
    package var staleIfError: Int64
    /// The tiers that store responses and objects derived from them.
    package var cache: CachePolicy
    /// Whether responses are local files.
    package var isFolder: Bool
    /// Whether clients supply the whole URL.
    package var isRemote: Bool
    /// When downloads continue without waiting requests.
    package var continues = ContinuePolicy.standard

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
