import HTTPSemantics
package import LinuxSystem
import OriginTransfer

/// Answers requests of raw sources: from what is stored, or with what the origin says (RFC 9111 §4).
///
/// Any thread; completions are called on the caller's, the read lane's or the loader's.
package final class RawProxy: Sendable {
    package typealias Completion = @Sendable (Result<RawAnswer, PipelineError>) -> Void

    /// Seconds for which requests for a URL do not wait for each other once an answer could not be shared.
    static let separation: Int64 = 60

    package let cache: RawCache
    let loader: any OriginLoading
    /// Where the disk is read; without one it is not.
    let lane: WorkLane?
    let time: any TimeSource
    let flights: RawFlights

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - lane: where the cache's disk is read.
    ///   - waiters: the most requests that wait for another one's answer.
    package init(
        cache: RawCache,
        loader: any OriginLoading,
        lane: WorkLane? = nil,
        time: any TimeSource,
        waiters: Int
    ) {
        self.cache = cache
        self.loader = loader
        self.lane = lane
        self.time = time
        flights = RawFlights(waiters: waiters)
    }

    /// What can be answered from memory without asking anybody; `nil` where `load` is needed.
    package func cached(_ request: RawRequest) -> RawAnswer? {
        guard request.isCacheable else { return nil }
        let now = time.wallSeconds
        let decision = RawDecision(request, stored: cache.remembered(request)?.responses ?? [], now: now)
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
    package func load(_ request: RawRequest, completion: @escaping Completion) -> Subscription {
        let task = RawTask(request, proxy: self, completion: completion)
        hold(request) { task.start($0, mayWait: true) }
        return Subscription { task.cancel() }
    }

    /// Finds the entry of a request's URL, and goes on: at once, or on the read lane.
    private func hold(_ request: RawRequest, _ next: @escaping @Sendable (RawHold?) -> Void) {
        guard request.isCacheable else { return next(nil) }
        if let hold = cache.hold(request) { return next(hold) }
        let isTaken = lane?.submit { [cache] in next(cache.read(request)) }
        // Too much waits for the disk: then it is asked of the origin.
        if isTaken != true { next(cache.holdUnread(request)) }
    }

    /// Drops what a purge is about, or lets it count as stale, and lets nothing of it be kept that is under way.
    ///
    /// What is on disk must be hidden already, and go afterwards: see `Pipeline.purge`.
    /// - Returns: how many URLs in memory it was about.
    package func purge(_ purge: Purge) -> Int {
        flights.taint(purge.selection)
        return cache.purge(purge)
    }

    /// Invalidates what an unsafe request has changed (RFC 9111 §4.4).
    func invalidate(_ request: RawRequest, _ answer: RawExchange) {
        guard !request.isSafe, (200..<400).contains(answer.status) else { return }
        invalidate(request.origin)
        guard let base = request.origin.target.url else { return }
        for name in ["location", "content-location"] {
            // RFC 9111 §4.4: never of another origin.
            guard let reference = answer.fields[name], let url = try? base.resolving(reference),
                url.hasSameOrigin(as: base)
            else { continue }
            invalidate(request.origin.sibling(url))
        }
    }

    private func invalidate(_ origin: OriginRequest) {
        cache.drop(origin) { flights.taint(origin.key) }
    }
}
