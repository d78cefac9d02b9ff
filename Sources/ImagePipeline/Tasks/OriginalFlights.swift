/// The flights of originals: different variants of one share a download, and its failure.
struct OriginalFlights: Sendable {
    let pool: TaskPool<OriginOutcome>
    let parts: PipelineParts

    /// Whom a flight is for.
    enum Purpose: String, Sendable {
        /// All who ask for it.
        case any
        /// Those alone who need the bytes: a flight of others may ask about freshness only.
        case body
    }

    /// Joins the flight of an original, or starts one.
    func join(
        _ request: OriginRequest,
        demand: CacheDemand,
        isRefresh: Bool,
        purpose: Purpose,
        needsBody: Bool,
        caller: OriginCaller,
        waiter: @escaping TaskPool<OriginOutcome>.Waiter
    ) -> Subscription {
        let mode = isRefresh ? .refresh : demand.originMode
        return pool.join(key(request, demand, purpose, caller), about: FlightSubject(request), waiter: waiter) {
            flight in
            start(request, mode, needsBody: needsBody, caller: caller, flight)
        }
    }

    /// Brings an original up to date for nobody in particular; nothing where that is under way.
    private func refresh(_ request: OriginRequest) {
        // An origin that has just failed is left alone.
        guard parts.failures.pause(request.key) == nil else { return }
        pool.startUnlessUnderWay(key(request, .none, .any, .nobody), about: FlightSubject(request)) { flight in
            start(request, .refresh, needsBody: false, caller: .nobody, flight)
        }
    }

    private func start(
        _ request: OriginRequest,
        _ mode: OriginTask.Mode,
        needsBody: Bool,
        caller: OriginCaller,
        _ flight: Flight<OriginOutcome>
    ) {
        OriginTask(
            request: request,
            mode: mode,
            needsBody: needsBody,
            caller: caller,
            parts: parts,
            flight: flight,
            refresh: { refresh(request) }
        )
        .start()
    }

    /// What demands differently, needs more, or may be refused alone, flies alone.
    private func key(
        _ request: OriginRequest,
        _ demand: CacheDemand,
        _ purpose: Purpose,
        _ caller: OriginCaller
    ) -> CacheKey {
        let suffix = caller.keySuffix
        guard demand.originMode != .normal || demand.noStore || purpose != .any || !suffix.isEmpty else {
            return request.key
        }
        let name = "flight/1\n\(request.key)\n\(demand.originMode) \(demand.noStore) \(purpose)\(suffix)"
        return CacheKey(hashing: name)
    }
}
