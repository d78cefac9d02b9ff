package import HTTPSemantics

/// What a cache does with a request, given what it has stored (RFC 9111 §4); decided without I/O.
package enum CacheDecision: Sendable {
    /// Answer with the stored response; `refreshes` says that the origin is asked in the background (RFC 5861 §3).
    case serve(StoredResponse, isStale: Bool, refreshes: Bool)
    /// Ask the origin whether the stored response is still current.
    case validate(StoredResponse, CacheStatus.Reason)
    /// Ask the origin.
    case forward(CacheStatus.Reason)
    /// Nothing stored will do, and the request forbids asking: 504 (RFC 9111 §5.2.1.7).
    case unavailable

    /// Decides.
    ///
    /// - Parameters:
    ///   - stored: all responses stored for the request's key.
    ///   - allowsStale: whether what is remembered of the origin's failures lets a stale response be served.
    ///   - now: wall-clock seconds.
    package init(
        _ request: CacheRequest<some CacheOrigin>,
        stored: [StoredResponse],
        allowsStale: Bool = true,
        now: Int64
    ) {
        guard request.isCacheable else {
            self = .forward(.method)
            return
        }
        let decision = Self.decide(request, stored, allowsStale, now)
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
        _ now: Int64
    ) -> CacheDecision {
        guard !request.isForOrigin, !request.policy.noStore else { return .forward(.request) }
        let stored = stored.filter { $0.mayBeShared(by: request.source) }
        guard !stored.isEmpty else { return .forward(.uriMiss) }
        // RFC 9111 §4.1: of several that match, the most recent.
        guard let response = stored.filter({ $0.matches(request) }).max(by: { $0.date < $1.date }) else {
            return .forward(.varyMiss)
        }
        let reuse = Reuse(of: response.terms(for: request.source, at: now), request.demand)
        guard response.hasContent || !request.needsBody else {
            return .validate(response, reuse.isFresh ? (request.demand.isStrict ? .request : .uriMiss) : .stale)
        }
        if reuse.acceptsFresh { return .serve(response, isStale: false, refreshes: false) }
        if allowsStale, !request.isRefresh {
            if reuse.acceptsStale { return .serve(response, isStale: true, refreshes: false) }
            if reuse.acceptsWhileRevalidating { return .serve(response, isStale: true, refreshes: true) }
        }
        // Without a validator, only the part itself can be asked for.
        if request.isPartial, !response.hasValidator { return .forward(.partial) }
        return .validate(response, reuse.isFresh ? .request : .stale)
    }
}

extension StoredResponse {
    /// Its terms at a second of the wall clock; after a denial nothing stale is used.
    fileprivate func terms(for source: CacheRule, at now: Int64) -> ReuseTerms {
        let age = policy.freshness.age(at: now)
        return ReuseTerms(
            age: age,
            left: policy.freshness.lifetime - age,
            needsValidation: policy.control.noCache == .whole,
            forbidsStale: policy.forbidsStale || needsValidation,
            staleWhileRevalidate: needsValidation ? 0 : staleWhileRevalidate(source)
        )
    }
}
