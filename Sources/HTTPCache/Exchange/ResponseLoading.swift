package import HTTPSemantics

/// Loads responses from origins for the cache.
package protocol ResponseLoading<Origin>: Sendable {
    /// The targets that it loads.
    associatedtype Origin: CacheOrigin

    /// Starts a load and returns immediately; the closures are called on the loader's thread.
    ///
    /// - Parameters:
    ///   - arrival: called at most once, before `completion`, with a response whose content is still arriving; it is called for
    ///     long and slow contents only.
    ///   - completion: called exactly once, with the complete response, also for cancelled loads.
    func load(
        _ fetch: CacheFetch<Origin>,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, Origin.Failure>) -> Void
    ) -> any CancellableLoad
}

/// A load in progress; thread-safe.
package protocol CancellableLoad: Sendable {
    /// Bytes of content received so far.
    var received: Int { get }
    /// The length of the content; `nil` as long as it is unknown.
    var expected: Int? { get }
    /// Adapts the load's place in the loader's queue to the clients that wait for it now (`CacheFetch.claims`).
    func waitersChanged()
    /// Cancels the load, which then fails; does nothing if it has ended.
    func cancel()
}

/// A load to perform: a GET, conditional if validators are set, or another request.
package struct CacheFetch<Origin: CacheOrigin>: Sendable {
    /// A request to send instead of a plain GET.
    package struct Message: Sendable {
        package var method: String
        package var fields: FieldLines
        package var body: [UInt8]
    }

    package let origin: Origin
    /// The trace context and intermediaries of the request that caused the load.
    package let caller: OriginCaller
    /// The client account of the request that caused the load; `nil` for the daemon's own work.
    package let account: String?
    /// The clients that wait for the load, in whose turns it may be done; it is charged to the one in whose turn it is.
    package var claims = SharedClaims.none
    /// The monotonic nanoseconds after which, as of the load's start, no request waits for it; `nil` for none.
    package let deadline: Int64?
    /// The value of `If-None-Match`.
    package var entityTag: String?
    /// The value of `If-Modified-Since`.
    package var lastModified: String?
    /// The request to send; `nil` for a plain GET.
    package var message: Message?
    /// Maximum bytes of content, if less than the source's limit.
    package var byteLimit: Int?
    /// The place in the loader's queue.
    package var priority = RequestPriority.normal
    /// Whether an origin that is left alone after failures may be asked all the same.
    package var retriesFailed = false
    /// Called with each interim response (1xx), on the loader's thread and never after the completion; `nil` to ignore them.
    package var interim: (@Sendable (InterimResponse) -> Void)?

    init(_ request: CacheRequest<Origin>) {
        origin = request.origin
        caller = request.caller
        account = request.account
        deadline = request.deadline.nanoseconds
        retriesFailed = request.demand.retryFailed
    }
}
