import HTTPSemantics
package import LinuxSystem

/// Answers requests of raw sources: from what is stored, or with what the origin says (RFC 9111 §4).
///
/// Any thread; completions are called on the caller's, the read lane's or the loader's.
package final class RawProxy<Origin: CacheOrigin>: Sendable {
    package typealias Completion = @Sendable (Result<RawAnswer, Origin.Failure>) -> Void

    package let cache: RawCache
    let context: CacheExchange<Origin>.Context
    let flights: TaskPool<CacheOutcome, Origin.Failure>
    var time: any TimeSource { context.time }

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - lane: where the cache's disk is read.
    ///   - failures: remembers failures of origins, for sources that have it on.
    ///   - waiters: the most requests that wait for another one's answer.
    ///   - flights: the most requests under way.
    ///   - continueAfter: bytes after which a download goes on though nobody waits.
    package init(
        cache: RawCache,
        loader: any ResponseLoading<Origin>,
        failures: NegativeCache<Origin.Failure>,
        lane: WorkLane? = nil,
        time: any TimeSource,
        waiters: Int,
        flights: Int = 10_000,
        continueAfter: Int = 256 << 10
    ) {
        self.cache = cache
        context = CacheExchange<Origin>.Context(
            loader: loader,
            failures: failures,
            lane: lane,
            time: time,
            continueAfter: continueAfter
        )
        self.flights = TaskPool(maximumWaiters: waiters, maximumFlights: flights)
    }

    /// Sets the maximum number of waiters per request to an origin; applies to new requests.
    package func setWaiterLimit(_ limit: Int) { flights.setMaximumWaiters(limit) }

    /// What can be answered from memory without asking anybody; `nil` where `load` is needed.
    package func cached(_ request: CacheRequest<Origin>) -> RawAnswer? {
        guard request.isCacheable else { return nil }
        let now = time.wallSeconds
        let decision = CacheDecision(request, stored: cache.remembered(request)?.responses ?? [], now: now)
        guard case .serve(let stored, let isStale, false) = decision else {
            cache.count(isHit: false)
            return nil
        }
        cache.count(isHit: true)
        cache.touch(request)
        return RawAnswer(stored, to: request, .hit(isStale ? .stale : .memory), at: now)
    }

    /// Answers a request, in time.
    ///
    /// - Returns: what gives it up when its client has left.
    package func load(_ request: CacheRequest<Origin>, completion: @escaping Completion) -> Subscription {
        let load = RawLoad(request, proxy: self, completion: completion)
        hold(request) { load.start($0, mayWait: true) }
        return Subscription { load.cancel() }
    }

    /// Finds the entry of a request's URL, and goes on: at once, or on the read lane.
    private func hold(_ request: CacheRequest<Origin>, _ next: @escaping @Sendable (RawHold?) -> Void) {
        guard request.isCacheable else { return next(nil) }
        if let hold = cache.hold(request) { return next(hold) }
        let isTaken = context.lane?.submit { [cache] in next(cache.read(request)) }
        // Too much waits for the disk: then it is asked of the origin.
        if isTaken != true { next(cache.holdUnread(request)) }
    }

    /// Drops what a purge is about, or lets it count as stale, and keeps nothing of it that is under way.
    ///
    /// What is on disk must be hidden already, and is removed afterwards: see `Pipeline.purge`.
    /// - Returns: how many URLs in memory it was about.
    package func purge(_ purge: Purge) -> Int {
        _ = flights.beginPurge(purge.selection)
        defer { flights.endPurge(purge.selection) }
        return cache.purge(purge)
    }

    /// Invalidates what an unsafe request has changed (RFC 9111 §4.4).
    func invalidate(_ origin: Origin, _ response: FetchedResponse) {
        drop(origin)
        guard let base = origin.url else { return }
        for name in ["location", "content-location"] {
            // RFC 9111 §4.4: never of another origin.
            guard let reference = response.fields[name], let url = try? base.resolving(reference),
                url.hasSameOrigin(as: base)
            else { continue }
            drop(origin.sibling(url))
        }
    }

    private func drop(_ origin: Origin) {
        let selection = PurgeSelection.originals([origin.key])
        cache.drop(origin) { _ = flights.beginPurge(selection) }
        flights.endPurge(selection)
    }
}
