package import HTTPSemantics

/// The cache's decision on a request, made from the stored responses without I/O (RFC 9111 §4).
package enum CacheDecision: Sendable {
    /// Serve the stored response; `refreshes` means revalidation in the background (RFC 5861 §3).
    case serve(StoredResponse, isStale: Bool, refreshes: Bool)
    /// Validate the stored response with the origin.
    case validate(StoredResponse, CacheStatus.Reason)
    /// Fetch the missing bytes of the stored partial response, on condition that it has not changed (RFC 9111 §3.3, §3.4).
    case complete(StoredResponse)
    /// Forward the request to the origin.
    case forward(CacheStatus.Reason)
    /// Fail: the stored response needs validation, and this node is out of touch with others that may have purged it.
    case refuse
    /// No stored response is usable, and `only-if-cached` forbids forwarding: 504 (RFC 9111 §5.2.1.7).
    case unavailable

    /// Decides on a request.
    ///
    /// - Parameters:
    ///   - stored: all responses stored for the request's key.
    ///   - allowsStale: whether the origin's remembered failures permit stale responses.
    ///   - progress: the node's knowledge of purges.
    ///   - arrival: when the request arrived, in nanoseconds of the monotonic clock; `nil` for now.
    ///   - now: wall-clock seconds.
    package init(
        _ request: CacheRequest<some CacheOrigin>,
        stored: [StoredResponse],
        allowsStale: Bool = true,
        progress: PurgeProgress = .alone,
        arrival: Int64? = nil,
        now: Int64
    ) {
        guard request.isCacheable else {
            self = .forward(.method)
            return
        }
        let decision = Self.decide(request, stored, allowsStale, now) { progress.trust($0.stamp, asOf: arrival) }
        guard request.demand.onlyIfCached else {
            self = decision
            return
        }
        guard case .serve(let response, let isStale, _) = decision else {
            self = .unavailable
            return
        }
        self = .serve(response, isStale: isStale, refreshes: false)
    }

    private static func decide(
        _ request: CacheRequest<some CacheOrigin>,
        _ stored: [StoredResponse],
        _ allowsStale: Bool,
        _ now: Int64,
        trust: (StoredResponse) -> PurgeProgress.Trust
    ) -> CacheDecision {
        guard !request.isForOrigin, !request.policy.noStore else { return .forward(.request) }
        let stored = stored.filter { $0.mayBeShared(by: request.source) }
        guard !stored.isEmpty else { return .forward(.uriMiss) }
        // RFC 9111 §4.1: the most recent of several matching responses.
        guard let response = stored.filter({ $0.matches(request) }).max(by: { $0.date < $1.date }) else {
            return .forward(.varyMiss)
        }
        let trust = trust(response)
        let reuse = Reuse(of: response.terms(for: request.source, at: now, trust), request.demand)
        // The reason to validate a response that is neither stale nor unacceptable to the request.
        let distrust: CacheStatus.Reason? =
            switch trust {
            case .full: nil
            case .otherEra: .stale
            case .outOfTouch, .refused: .outOfTouch
            }
        if case .parts(let parts) = response.content, !response.canAnswer(request) {
            let isCompletable = response.strongValidator != nil && request.mayComplete(length: parts.length)
            return isCompletable ? .complete(response) : .forward(.partial)
        }
        guard response.canAnswer(request) else {
            let isMiss = reuse.isFresh && distrust == nil
            return .validate(response, isMiss ? (request.demand.isStrict ? .request : .uriMiss) : distrust ?? .stale)
        }
        if trust == .refused, !request.demand.noCache { return .refuse }
        if reuse.acceptsFresh { return .serve(response, isStale: false, refreshes: false) }
        if allowsStale, !request.isRefresh {
            if reuse.acceptsStale { return .serve(response, isStale: true, refreshes: false) }
            if reuse.acceptsWhileRevalidating { return .serve(response, isStale: true, refreshes: true) }
        }
        // A range without a stored validator can only be forwarded.
        if request.isPartial, !response.hasValidator { return .forward(.partial) }
        return .validate(response, distrust ?? (reuse.isFresh ? .request : .stale))
    }
}

extension StoredResponse {
    /// Returns the terms of reuse at `now`, in wall-clock seconds; after a denial, stale use is forbidden.
    fileprivate func terms(for source: CacheRule, at now: Int64, _ trust: PurgeProgress.Trust) -> ReuseTerms {
        ReuseTerms(
            age: policy.freshness.age(at: now),
            left: -policy.freshness.staleness(at: now),
            needsValidation: policy.control.noCache == .whole || trust != .full,
            forbidsStale: policy.forbidsStale || needsValidation,
            staleWhileRevalidate: needsValidation ? 0 : staleWhileRevalidate(source)
        )
    }
}
