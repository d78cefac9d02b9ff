package import HTTPSemantics

/// The cache's way to origins.
package protocol ResponseLoading<Origin>: Sendable {
    /// What it loads.
    associatedtype Origin: CacheOrigin

    /// Starts a load and returns at once; `completion` is called exactly once, on any thread, cancelled loads included.
    func load(
        _ fetch: CacheFetch<Origin>,
        completion: @escaping @Sendable (Result<FetchedResponse, Origin.Failure>) -> Void
    ) -> any CancellableLoad
}

/// A load under way; any thread.
package protocol CancellableLoad: Sendable {
    /// Bytes of the content that have arrived.
    var received: Int { get }
    /// Ends the load with a failure, unless it has ended.
    func cancel()
}

/// What to load.
package struct CacheFetch<Origin: CacheOrigin>: Sendable {
    /// A request to send in place of a plain GET.
    package struct Message: Sendable {
        package var method: String
        package var fields: FieldLines
        package var body: [UInt8]
    }

    package let origin: Origin
    /// The request that it is for.
    package let caller: OriginCaller
    /// `If-None-Match`, raw.
    package var entityTag: String?
    /// `If-Modified-Since`, raw.
    package var lastModified: String?
    /// `nil` for a plain GET.
    package var message: Message?
    /// The most bytes of content, where that is less than the source allows.
    package var byteLimit: Int?

    init(_ origin: Origin, for caller: OriginCaller) {
        self.origin = origin
        self.caller = caller
    }
}
