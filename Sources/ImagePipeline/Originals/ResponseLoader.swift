package import HTTPCache
import HTTPSemantics
package import LinuxSystem
import OriginTransfer

/// Loads the cache's responses with the loader of originals.
struct ResponseLoader: ResponseLoading {
    /// Adapts a load handle.
    private struct Load: CancellableLoad {
        let handle: any LoadHandle

        var received: Int { handle.received }
        var expected: Int? { handle.expected }
        func cancel() { handle.cancel() }
        func waitersChanged() { handle.waitersChanged() }
    }

    let loader: any OriginLoading
    /// Is told about each transfer.
    var observer: (any ActivityObserving)?

    func load(
        _ fetch: CacheFetch<OriginRequest>,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any CancellableLoad {
        guard let observer, observer.isObserving else {
            return Load(handle: loader.load(OriginFetch(fetch), arrival: arrival, completion: completion))
        }
        let observed = ObservedLoad(fetch.origin, observer)
        var fetch = OriginFetch(fetch)
        fetch.onHead = { status, expected in
            if !(300..<400).contains(status) || status == 304 { observed.began(status: status, expected: expected) }
        }
        return Load(
            handle: loader.load(fetch, arrival: arrival) { result in
                observed.ended(result)
                completion(result)
            }
        )
    }
}

extension OriginFetch {
    /// Converts a fetch of the cache.
    init(_ fetch: CacheFetch<OriginRequest>) {
        self.init(
            target: fetch.origin.target,
            source: fetch.origin.source,
            entityTag: fetch.entityTag,
            lastModified: fetch.lastModified
        )
        caller = fetch.caller
        priority = fetch.priority
        retriesFailed = fetch.retriesFailed
        cookie = fetch.origin.cookie
        account = fetch.account
        claims = fetch.claims
        deadline = fetch.deadline
        if let limit = fetch.byteLimit { source.limits.sourceBytes = min(source.limits.sourceBytes, limit) }
        interim = fetch.interim
        exchange = fetch.message.map { Exchange(method: $0.method, fields: $0.fields, body: $0.body) }
    }
}

extension RawProxy where Origin == OriginRequest {
    /// Creates a proxy that uses the loader of originals.
    ///
    /// - Parameters:
    ///   - lane: the threads that read the cache's disk.
    ///   - failures: remembers failures of origins, for sources with negative caching.
    ///   - waiters: maximum waiters per request to an origin.
    ///   - flights: maximum flights in progress.
    ///   - progress: the node's knowledge of purges.
    ///   - observer: is told about each transfer.
    package convenience init(
        cache: RawCache,
        loader: any OriginLoading,
        failures: NegativeCache<PipelineError>,
        lane: WorkLane? = nil,
        time: any TimeSource,
        waiters: Int,
        flights: Int = 10_000,
        progress: PurgeProgress = .alone,
        observer: (any ActivityObserving)? = nil
    ) {
        self.init(
            cache: cache,
            loader: ResponseLoader(loader: loader, observer: observer),
            failures: failures,
            lane: lane,
            time: time,
            waiters: waiters,
            flights: flights,
            progress: progress
        )
    }
}
