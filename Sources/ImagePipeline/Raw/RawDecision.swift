import HTTPSemantics

/// What a cache does with a request, given what it has stored (RFC 9111 §4): decided without I/O.
enum RawDecision: Sendable {
    /// Answers with what is stored; `refreshes` says that the origin is to be asked beside it (RFC 5861 §3).
    case serve(StoredResponse, isStale: Bool, refreshes: Bool)
    /// Asks the origin whether this is still right, or for something better.
    case validate(StoredResponse, CacheStatus.Reason)
    /// Asks the origin.
    case forward(CacheStatus.Reason)
    /// Nothing that is stored will do, and nothing else may be asked: 504 (RFC 9111 §5.2.1.7).
    case unavailable

    /// Decides.
    ///
    /// - Parameters:
    ///   - stored: all responses stored for the request's URL.
    ///   - now: seconds since 1970.
    init(_ request: RawRequest, stored: [StoredResponse], now: Int64) {
        guard request.isCacheable else {
            self = .forward(.method)
            return
        }
        let decision = Self.decide(request, stored, now)
        if request.control.onlyIfCached {
            guard case .serve(let response, let isStale, _) = decision else {
                self = .unavailable
                return
            }
            self = .serve(response, isStale: isStale, refreshes: false)
        } else {
            self = decision
        }
    }

    private static func decide(_ request: RawRequest, _ stored: [StoredResponse], _ now: Int64) -> RawDecision {
        guard !request.isForOrigin, !request.control.noStore else { return .forward(.request) }
        let stored = stored.filter { $0.mayBeShared(by: request.source) }
        guard !stored.isEmpty else { return .forward(.uriMiss) }
        let matching = stored.filter { $0.selection.matches(request.fields) }
        // RFC 9111 §4.1: of several the most recent.
        guard let response = matching.max(by: { $0.date < $1.date }) else { return .forward(.varyMiss) }
        let wishes = Wishes(request, response, now)
        if wishes.acceptsFresh { return .serve(response, isStale: false, refreshes: false) }
        if wishes.acceptsStale { return .serve(response, isStale: true, refreshes: false) }
        if wishes.acceptsWhileRevalidating { return .serve(response, isStale: true, refreshes: true) }
        // Without a validator nothing can be asked but the part itself.
        if request.isPartial, !response.hasValidator { return .forward(.partial) }
        return .validate(response, wishes.isFresh ? .request : .stale)
    }
}

/// How a request's directives stand to a stored response.
private struct Wishes {
    let isFresh: Bool
    let acceptsFresh: Bool
    let acceptsStale: Bool
    let acceptsWhileRevalidating: Bool

    init(_ request: RawRequest, _ response: StoredResponse, _ now: Int64) {
        let control = request.control
        let freshness = response.policy.freshness
        let age = freshness.age(at: now)
        let left = freshness.lifetime - age
        isFresh = left > 0
        let mustAsk = control.noCache.isPresent || response.policy.control.noCache == .whole
        let isYoung = age <= control.maxAge ?? .max
        acceptsFresh = isFresh && !mustAsk && isYoung && left >= control.minFresh ?? 0
        let mayBeStale = !isFresh && !mustAsk && isYoung && control.minFresh == nil
        acceptsStale =
            mayBeStale && !response.needsValidation && !response.policy.forbidsStale && -left <= control.maxStale ?? -1
        let allowance = response.staleWhileRevalidate(request.source)
        acceptsWhileRevalidating =
            mayBeStale && !response.needsValidation && control.maxAge == nil && allowance > 0 && -left < allowance
    }
}

extension StoredResponse {
    /// Seconds of staleness while the origin is asked: the origin's word, else the source's.
    func staleWhileRevalidate(_ source: SourceRule) -> Int64 {
        policy.staleAllowance.whileRevalidating ?? source.staleWhileRevalidate
    }

    /// Seconds of staleness when the origin fails: the origin's word, else the source's.
    ///
    /// The source's is for what was fresh once, or was said to be for some time: a raw source makes up no freshness.
    func staleIfError(_ source: SourceRule) -> Int64 {
        let wasFresh = policy.freshness.lifetime > 0 || policy.control.maxAge != nil || fields.contains("expires")
        return policy.staleAllowance.ifError ?? (wasFresh ? source.staleIfError : 0)
    }

    /// Whether it may stand in for an answer that failed.
    func mayReplaceError(at now: Int64, for request: RawRequest) -> Bool {
        let allowance = staleIfError(request.source)
        let staleness = policy.freshness.age(at: now) - policy.freshness.lifetime
        // A request that would have nothing stored is not given something stale.
        guard !request.control.noCache.isPresent, request.control.maxAge == nil,
            !StaleAllowance.mayReplace(status: status)
        else { return false }
        return staleness < allowance || staleness < 0 && !policy.forbidsStale
    }
}
