package import HTTPSemantics
package import ImagePlan

/// What is known of an original: where it is from, its validators, how long it is fresh, what it is.
///
/// A record outlives the original's bytes as long as a variant needs its freshness (RFC 9111 §4.2: a variant is as fresh as its original).
package struct OriginRecord: Hashable, Sendable {
    /// What lies under a key, as the disk's index has it.
    package enum Kind: Int64, Hashable, Sendable {
        case picture = 0
        /// What is stored of a URL of a raw source; its body is a `RawEntry`, its `header` says nothing.
        case raw = 1
    }

    /// The hash of source, normalised URL and forwarded parameters.
    package var key: CacheKey
    /// The configured source's name; `fetch` for remote URLs.
    package var source: String
    /// The upstream URL that was asked first, in its normal form; for a folder the file's path below the source's root.
    package var url: String
    /// SHA-256 of the body: variants made from another body are void.
    package var digest: CacheKey
    /// Bytes of the body.
    package var length: Int
    /// What the body's first bytes say.
    package var header: ImageHeader
    /// The origin's `ETag` field value, raw; for a file, its identity.
    package var entityTag: String?
    /// The origin's `Last-Modified` field value, raw.
    package var lastModified: String?
    /// The origin's `Cache-Control` field value, raw; `nil` where it said nothing.
    package var cacheControl: String?
    /// What clients are told in its place where the origin has spoken to us apart (RFC 9213): empty for nothing, `nil` where both are
    /// the same.
    package var clientCacheControl: String?
    /// The origin's words to clients; `nil` where it said nothing.
    var wordsToClients: String? {
        guard let clientCacheControl else { return cacheControl }
        return clientCacheControl.isEmpty ? nil : clientCacheControl
    }
    /// When and how long the stored response is fresh.
    package var freshness: Freshness
    /// Seconds of `max-age` to tell clients where the origin said nothing.
    package var advertisedLifetime: Int64
    /// The origin's marks for purging, each once and without blanks.
    package var tags: [String]
    package var kind: Kind
    /// What pages show before the picture; `nil` until it has been computed, of these very bytes.
    package var placeholder: Placeholder?

    /// Creates a record.
    package init(
        key: CacheKey,
        source: String,
        url: String,
        digest: CacheKey,
        length: Int,
        header: ImageHeader,
        entityTag: String?,
        lastModified: String?,
        cacheControl: String?,
        clientCacheControl: String? = nil,
        freshness: Freshness,
        advertisedLifetime: Int64,
        tags: [String] = [],
        kind: Kind = .picture,
        placeholder: Placeholder? = nil
    ) {
        self.key = key
        self.source = source
        self.url = url
        self.digest = digest
        self.length = length
        self.header = header
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.cacheControl = cacheControl
        self.clientCacheControl = clientCacheControl
        self.freshness = freshness
        self.advertisedLifetime = advertisedLifetime
        self.tags = tags
        self.kind = kind
        self.placeholder = placeholder
    }

    /// Lets it count as stale from a second of the wall clock on, unless it does already.
    mutating func expire(at now: Int64) {
        if freshness.staleAt > now { freshness.lifetime = now - freshness.bornAt }
    }
}
