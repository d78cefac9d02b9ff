package import HTTPCache
package import OriginTransfer

/// Stage 6's seam (SDWebImage's `SDImageLoader`): brings an original's bytes from where they are.
package protocol OriginLoading: Sendable {
    /// Starts a load and returns at once; `completion` is called exactly once, on the loader's own thread, cancelled loads included.
    func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
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
