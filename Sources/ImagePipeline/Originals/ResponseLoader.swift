package import HTTPCache
package import LinuxSystem
import OriginTransfer

/// The cache's way to origins, over the loader of originals.
struct ResponseLoader: ResponseLoading {
    /// A load of the loader of originals.
    private struct Load: CancellableLoad {
        let handle: any LoadHandle

        var received: Int { handle.received }
        func cancel() { handle.cancel() }
    }

    let loader: any OriginLoading

    func load(
        _ fetch: CacheFetch<OriginRequest>,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any CancellableLoad {
        Load(handle: loader.load(OriginFetch(fetch), completion: completion))
    }
}

extension OriginFetch {
    /// A fetch of the cache in the loader's terms.
    init(_ fetch: CacheFetch<OriginRequest>) {
        self.init(
            target: fetch.origin.target,
            source: fetch.origin.source,
            entityTag: fetch.entityTag,
            lastModified: fetch.lastModified
        )
        caller = fetch.caller
        if let limit = fetch.byteLimit { source.limits.sourceBytes = min(source.limits.sourceBytes, limit) }
        exchange = fetch.message.map { Exchange(method: $0.method, fields: $0.fields, body: $0.body) }
    }
}

extension RawProxy where Origin == OriginRequest {
    /// Creates a proxy over the loader of originals.
    ///
    /// - Parameters:
    ///   - lane: where the cache's disk is read.
    ///   - failures: remembers failures of origins, for sources that have it on.
    ///   - waiters: the most requests that wait for another one's answer.
    ///   - flights: the most requests under way.
    ///   - continueAfter: bytes after which a download goes on though nobody waits.
    package convenience init(
        cache: RawCache,
        loader: any OriginLoading,
        failures: NegativeCache<PipelineError>,
        lane: WorkLane? = nil,
        time: any TimeSource,
        waiters: Int,
        flights: Int = 10_000,
        continueAfter: Int = 256 << 10
    ) {
        self.init(
            cache: cache,
            loader: ResponseLoader(loader: loader),
            failures: failures,
            lane: lane,
            time: time,
            waiters: waiters,
            flights: flights,
            continueAfter: continueAfter
        )
    }
}
