import HTTPSemantics
package import LinuxSystem

/// Answers requests of raw sources: from what is stored, or with what the origin says (RFC 9111 §4).
///
/// Any thread; completions are called on the caller's or on the loader's.
package final class RawProxy: Sendable {
    package typealias Completion = @Sendable (Result<RawAnswer, PipelineError>) -> Void

    /// Seconds for which requests for a URL do not wait for each other once an answer could not be shared.
    static let separation: Int64 = 60

    package let cache: RawCache
    let loader: any OriginLoading
    let time: any TimeSource
    let flights: RawFlights

    /// Creates a proxy.
    ///
    /// - Parameter waiters: the most requests that wait for another one's answer.
    package init(cache: RawCache, loader: any OriginLoading, time: any TimeSource, waiters: Int) {
        self.cache = cache
        self.loader = loader
        self.time = time
        flights = RawFlights(waiters: waiters)
    }

    /// What can be answered without asking anybody; `nil` where `load` is needed.
    package func cached(_ request: RawRequest) -> RawAnswer? {
        let now = time.wallSeconds
        guard case .serve(let stored, let isStale, false) = decide(request, now) else { return nil }
        return RawAnswer(stored, to: request, .hit(isStale ? .stale : .memory), at: now)
    }

    /// Answers a request, in time.
    ///
    /// - Returns: what gives it up when its client has left.
    package func load(_ request: RawRequest, completion: @escaping Completion) -> Subscription {
        let task = RawTask(request, proxy: self, completion: completion)
        task.start(mayWait: true)
        return Subscription { task.cancel() }
    }

    /// Drops what a purge is about, or lets it count as stale, and lets nothing of it be kept that is under way.
    ///
    /// - Returns: how many URLs it was about.
    package func purge(_ purge: Purge) -> Int {
        flights.taint(purge.selection)
        return cache.purge(purge)
    }

    func decide(_ request: RawRequest, _ now: Int64) -> RawDecision {
        RawDecision(request, stored: cache.entry(for: request.key)?.responses ?? [], now: now)
    }

    /// Whether requests for a URL may wait for each other.
    func mayShare(_ request: RawRequest, _ now: Int64) -> Bool {
        request.mayCollapse && (cache.entry(for: request.key)?.separateUntil ?? .min) <= now
    }

    /// Invalidates what an unsafe request has changed (RFC 9111 §4.4).
    func invalidate(_ request: RawRequest, _ answer: RawExchange) {
        guard !request.isSafe, (200..<400).contains(answer.status) else { return }
        invalidate(request.key)
        guard let base = try? UpstreamURL(request.origin.target) else { return }
        for name in ["location", "content-location"] {
            // RFC 9111 §4.4: never of another origin.
            guard let reference = answer.fields[name], let url = try? base.resolving(reference),
                url.hasSameOrigin(as: base), let origin = request.origin.sibling(url.text)
            else { continue }
            invalidate(origin.key)
        }
    }

    private func invalidate(_ key: CacheKey) {
        flights.taint(key)
        cache.drop(key)
    }
}
