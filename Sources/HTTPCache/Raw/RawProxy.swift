package import HTTPSemantics
package import LinuxSystem

/// Serves requests of raw sources from stored responses or from the origin (RFC 9111 §4).
///
/// Any thread; completions are called on the caller's thread, the read lane's or the loader's.
package final class RawProxy<Origin: CacheOrigin>: Sendable {
    package typealias Completion = @Sendable (Result<RawAnswer, Origin.Failure>) -> Void
    package typealias Interim = @Sendable (InterimResponse) -> Void

    package let cache: RawCache
    let context: CacheExchange<Origin>.Context
    let flights: TaskPool<CacheOutcome, Origin.Failure>
    let background: BackgroundWork<CacheOutcome, Origin.Failure>
    var time: any TimeSource { context.time }

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - failures: remembers origins' failures, for sources that enable it.
    ///   - lane: runs the cache's disk reads.
    ///   - waiters: the maximum number of requests that wait for another one's response.
    ///   - flights: the maximum number of requests in progress.
    ///   - progress: the node's knowledge of purges.
    package init(
        cache: RawCache,
        loader: any ResponseLoading<Origin>,
        failures: NegativeCache<Origin.Failure>,
        lane: WorkLane? = nil,
        time: any TimeSource,
        waiters: Int,
        flights: Int = 10_000,
        progress: PurgeProgress = .alone
    ) {
        self.cache = cache
        context = CacheExchange<Origin>.Context(
            loader: loader,
            failures: failures,
            lane: lane,
            time: time,
            progress: progress
        )
        self.flights = TaskPool(maximumWaiters: waiters, maximumFlights: flights)
        background = BackgroundWork(pool: self.flights, kinds: [.refresh], time: time)
    }

    /// Sets the maximum number of waiters per request to an origin; applies to new requests.
    package func setWaiterLimit(_ limit: Int) { flights.setMaximumWaiters(limit) }

    /// The requests to origins in progress, oldest first, up to a number, and the number of all.
    package func inProgress(limit: Int) -> (oldest: [FlightStatus], total: Int) { flights.statuses(limit: limit) }

    /// The response from memory if it can be served without any I/O; `nil` if `load` is needed.
    package func cached(_ request: CacheRequest<Origin>) -> RawAnswer? {
        guard request.isCacheable else { return nil }
        let now = time.wallSeconds
        let decision = CacheDecision(
            request,
            stored: cache.remembered(request)?.responses ?? [],
            progress: context.progress,
            now: now
        )
        guard case .serve(let stored, let isStale, false) = decision else {
            cache.count(isHit: false)
            return nil
        }
        cache.count(isHit: true)
        cache.touch(request)
        return RawAnswer(stored, to: request, .hit(isStale ? .stale : .memory), at: now)
    }

    /// Serves a request asynchronously.
    ///
    /// - Parameter interim: called on the loader's thread with each interim response to forward, if this request is sent to the
    ///   origin; not called for collapsed requests and stored responses, nor after the completion.
    /// - Returns: a subscription that cancels the request, for when its client leaves.
    package func load(
        _ request: CacheRequest<Origin>,
        interim: Interim? = nil,
        completion: @escaping Completion
    ) -> Subscription {
        let load = RawLoad(request, proxy: self, interim: interim, completion: completion)
        hold(request) {
            load.start($0, mayWait: true)
        } late: {
            load.fail(.diskWaitTooLong)
        }
        return Subscription { load.cancel() }
    }

    /// Retains the entry of a request's URL, then calls `next`: immediately, or on the read lane.
    ///
    /// - Parameter late: called instead if the request's deadline has passed when the read lane reaches it.
    private func hold(
        _ request: CacheRequest<Origin>,
        _ next: @escaping @Sendable (RawHold?) -> Void,
        late: @escaping @Sendable () -> Void
    ) {
        guard request.isCacheable else { return next(nil) }
        if let hold = cache.hold(request) { return next(hold) }
        let isTaken = context.lane?.submit { [cache, time] in
            if request.deadline.isPast(at: time.monotonic) { late() } else { next(cache.read(request)) }
        }
        // The read lane is full: ask the origin.
        if isTaken != true { next(cache.holdUnread(request)) }
    }

    /// Removes the responses that a purge selects, or marks them as stale; affected requests in progress store nothing.
    ///
    /// The disk must hide the selection already, and removes it afterwards: see `Pipeline.purge`.
    /// - Returns: the number of URLs in memory that were affected.
    package func purge(_ purge: Purge) -> Int {
        _ = flights.beginPurge(purge.selection)
        defer { flights.endPurge(purge.selection) }
        return cache.purge(purge)
    }

    /// Prevents requests that arrive from now on from sharing what requests in progress receive, after purges were missed.
    package func detachFlights() { flights.detachAll() }

    /// Invalidates the stored responses that an unsafe request may have changed (RFC 9111 §4.4).
    ///
    /// - Parameter flight: the unsafe request's own, whose response may be stored afterwards.
    func invalidate(_ origin: Origin, _ response: FetchedResponse, by flight: Flight<CacheOutcome, Origin.Failure>) {
        drop(origin, by: flight)
        guard let base = origin.url else { return }
        for name in ["location", "content-location"] {
            // RFC 9111 §4.4: never URLs of another origin.
            guard let reference = response.fields[name], let url = try? base.resolving(reference),
                url.hasSameOrigin(as: base)
            else { continue }
            drop(origin.sibling(url), by: flight)
        }
    }

    private func drop(_ origin: Origin, by flight: Flight<CacheOutcome, Origin.Failure>) {
        let selection = PurgeSelection.originals([origin.key])
        cache.drop(origin) { _ = flights.beginPurge(selection, except: flight) }
        flights.endPurge(selection)
    }
}
