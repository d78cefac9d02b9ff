package import HTTPCache
package import HTTPSemantics
package import OriginTransfer

/// Stage 6: loads the bytes of originals (SDWebImage: `SDImageLoader`).
package protocol OriginLoading: Sendable {
    /// Starts a load and returns immediately; the closures are called on the loader's thread.
    ///
    /// - Parameters:
    ///   - arrival: called at most once, before `completion`, with a response whose content is still arriving.
    ///   - completion: called exactly once, with the complete response, also for cancelled loads.
    func load(
        _ fetch: OriginFetch,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle
}

extension OriginLoading {
    /// Starts a load whose content is delivered when it is complete.
    package func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        load(fetch, arrival: nil, completion: completion)
    }
}

/// A fetch of an original under a source's rule; conditional if it has validators of a stored response.
package struct OriginFetch: Sendable {
    package var target: OriginTarget
    package var source: SourceRule
    /// The value of `If-None-Match`.
    package var entityTag: String?
    /// The value of `If-Modified-Since`.
    package var lastModified: String?

    /// The trace context and intermediaries; a raw request has them in its own fields.
    package var caller = OriginCaller.nobody
    /// The client account of the request that caused the fetch; `nil` for the daemon's own work.
    package var account: String?
    /// The clients that wait for the fetch, in whose turns it may be done; it is charged to the one in whose turn it is.
    package var claims = SharedClaims.none
    /// The monotonic nanoseconds after which, as of the fetch's start, no request waits for it; `nil` for none.
    package var deadline: Int64?

    /// The value of `Cookie`.
    package var cookie: String?
    /// The place in the loader's queue.
    package var priority = RequestPriority.normal
    /// Whether an origin that is left alone after failures may be asked all the same.
    package var retriesFailed = false

    /// A request to send instead of a plain GET, with an unchanged response; `nil` for originals.
    package var exchange: Exchange?
    /// Called with each interim response (1xx), on the loader's thread and never after the completion; `nil` for originals.
    package var interim: (@Sendable (InterimResponse) -> Void)?

    /// Called with the status and the announced bytes of the response, on the loader's thread.
    package var onHead: TransferRequest.HeadObserver?

    /// The request of a raw source.
    package typealias Exchange = TransferRequest.Exchange

    /// Creates a fetch.
    package init(target: OriginTarget, source: SourceRule, entityTag: String? = nil, lastModified: String? = nil) {
        self.target = target
        self.source = source
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}
