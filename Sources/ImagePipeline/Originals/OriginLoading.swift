package import LinuxSystem
package import OriginTransfer

/// Stage 6's seam (SDWebImage's `SDImageLoader`): brings an original's bytes from where they are.
package protocol OriginLoading: Sendable {
    /// Starts a load and returns at once; `completion` is called exactly once, on the loader's own thread, cancelled loads included.
    func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<OriginResponse, PipelineError>) -> Void
    ) -> any LoadHandle
}

/// What to load: a URL under a source's rule, conditionally when validators of a stored response are known.
package struct OriginFetch: Sendable {
    package var target: OriginTarget
    package var source: SourceRule
    /// `If-None-Match`, raw.
    package var entityTag: String?
    /// `If-Modified-Since`, raw.
    package var lastModified: String?

    /// The request that it is for; a raw one has its own fields.
    package var caller = OriginCaller.nobody

    /// What goes upstream in place of a plain GET, and comes back as it is; `nil` for originals.
    package var exchange: Exchange?

    /// A request of a raw source.
    package typealias Exchange = TransferRequest.Exchange

    /// Creates a fetch.
    package init(target: OriginTarget, source: SourceRule, entityTag: String? = nil, lastModified: String? = nil) {
        self.target = target
        self.source = source
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// What the origin answered.
package enum OriginResponse: Sendable {
    /// 304: the stored response is still right, with these new header fields (RFC 9111 §4.3.4).
    case notModified(OriginFields)
    /// 200 with a complete body.
    case fetched(OriginFields, OriginBody)
    /// Another status, which is no success, and what the answer says about the time.
    case refused(status: Int, OriginFields)
    /// Whatever was answered to an `OriginFetch.Exchange`.
    case exchanged(RawExchange)
}

/// The header fields of an origin's answer that the cache needs, and the times around it.
package struct OriginFields: Hashable, Sendable {
    /// Raw field values; several fields of one name joined with ", ".
    package var cacheControl: String?
    /// What stands in `Cache-Control` for others where `cacheControl` is for us alone (RFC 9213): empty where nothing does, `nil` where
    /// both are the same.
    package var clientCacheControl: String?
    package var expires: String?
    package var date: String?
    package var age: String?
    package var entityTag: String?
    package var lastModified: String?
    package var contentType: String?
    package var vary: String?
    package var retryAfter: String?
    /// `Cache-Tag`, `Surrogate-Key` and `xkey`, as if they were one field.
    package var tags: String?
    /// Wall-clock seconds when the request was sent and the answer's head came (RFC 9111 §4.2.3).
    package var requestTime: Int64
    package var responseTime: Int64
    /// Seconds for which the loader itself vouches, whatever the fields say: files are looked at again after 10 s.
    package var vouchedLifetime: Int64?

    /// Creates fields that say nothing, received at a time.
    package init(requestTime: Int64, responseTime: Int64) {
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// A complete original: a read-only descriptor (a sealed memory file, or a file of the source), its length and its digest.
package struct OriginBody: Sendable {
    package var file: SharedDescriptor
    package var length: Int
    /// SHA-256 of the bytes.
    package var digest: CacheKey

    /// Creates a body.
    package init(file: SharedDescriptor, length: Int, digest: CacheKey) {
        self.file = file
        self.length = length
        self.digest = digest
    }
}
