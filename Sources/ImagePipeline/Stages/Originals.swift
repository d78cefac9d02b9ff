import HTTPCache
import HTTPSemantics
import LinuxSystem

/// The originals of pictures: looked up, fetched and kept once for all variants that need them.
struct Originals: Sendable {
    let pool: TaskPool<CacheOutcome, PipelineError>
    let parts: PipelineParts

    /// Which requests share a flight.
    enum Purpose: String, Sendable {
        /// All for the original.
        case any
        /// Those that need the content: a flight of others may validate only.
        case body
    }

    typealias Waiter = @Sendable (Result<OriginOutcome, PipelineError>) -> Void

    /// Joins the flight of an original, or starts one; any thread.
    ///
    /// - Parameter waiter: called once, on the thread that ends the flight, unless the subscription is cancelled first.
    func join(
        _ request: OriginRequest,
        _ context: LoadContext,
        purpose: Purpose = .any,
        needsBody: Bool,
        waiter: @escaping Waiter
    ) -> Subscription {
        var needed = CacheRequest(request, demand: context.demand, caller: context.caller)
        needed.needsBody = needsBody
        needed.isRefresh = context.isRefresh
        return pool.join(key(needed, purpose), about: PurgeSubject(request)) { result, delivery in
            waiter(
                result.flatMap { OriginOutcome.result(of: $0, delivery) }
                    .mapError { delivery.isCollapsed ? $0.collapsed : $0 }
            )
        } start: { flight in
            start(needed, flight)
        }
    }

    /// Refreshes an original in the background, unless that is under way.
    private func refresh(_ request: OriginRequest) {
        // An origin that has just failed is left alone.
        guard parts.failures.pause(request.key) == nil else { return }
        var refresh = CacheRequest(request)
        refresh.needsBody = false
        refresh.isRefresh = true
        pool.startUnlessUnderWay(key(refresh, .any), about: PurgeSubject(request)) { flight in
            start(refresh, flight)
        }
    }

    private func start(_ request: CacheRequest<OriginRequest>, _ flight: Flight<CacheOutcome, PipelineError>) {
        guard parts.readLane.submit({ decide(request, flight) }) else {
            flight.finish(.failure(.overloaded("too many requests wait for the disk")))
            return
        }
    }

    private func decide(_ request: CacheRequest<OriginRequest>, _ flight: Flight<CacheOutcome, PipelineError>) {
        let stored = OriginalStore.find(request.origin, in: parts)
        let decision = CacheDecision(
            request,
            stored: stored.map { [$0] } ?? [],
            allowsStale: parts.failures.pause(request.failureKey)?.allowsStale != false,
            now: parts.time.wallSeconds
        )
        switch decision {
        case .serve(let response, let isStale, let refreshes):
            flight.finish(.success(CacheOutcome(response, .hit(isStale ? .stale : .original))))
            if refreshes { refresh(request.origin) }
        case .validate(let response, let reason): exchange(request, response, reason, flight).start()
        case .forward(let reason): exchange(request, stored, reason, flight).start()
        case .unavailable: exchange(request, stored, .request, flight).unavailable()
        }
    }

    private func exchange(
        _ request: CacheRequest<OriginRequest>,
        _ stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ flight: Flight<CacheOutcome, PipelineError>
    ) -> CacheExchange<OriginRequest> {
        CacheExchange(
            request,
            stored: stored,
            reason,
            store: OriginalStore(request: request.origin, parts: parts, flight: flight),
            context: parts.exchanges,
            flight: flight
        )
    }

    /// Requests that demand differently, need more, or may be refused alone, share no flight.
    private func key(_ request: CacheRequest<OriginRequest>, _ purpose: Purpose) -> CacheKey {
        let suffix = request.caller.keySuffix
        guard request.demand != .none || purpose != .any || !suffix.isEmpty else { return request.key }
        return CacheKey(hashing: "flight/1\n\(request.key)\n\(purpose)\(request.demand.keySuffix)\(suffix)")
    }
}

/// An original as a variant gets it: its state, its bytes, and how they were obtained.
struct OriginOutcome: Sendable {
    var origin: OriginSnapshot
    /// `nil` when only freshness was asked for and the bytes are not kept.
    var body: OriginBody?
    /// Whether a shared cache may keep it, and what is made of it (RFC 9111 §3).
    var storable: Bool
    var status: CacheStatus
    /// Microseconds of the transfer; 0 where there was none.
    var fetchMicroseconds: UInt32 = 0
    /// Its delivery to all variants that wait for it.
    var delivery: Delivery?

    /// The outcome of an exchange for an original.
    fileprivate static func result(
        of outcome: CacheOutcome,
        _ delivery: Delivery
    ) -> Result<OriginOutcome, PipelineError> {
        guard case .stored(let response) = outcome.answer, let original = response.original else {
            return .failure(.originProtocol("the original was not delivered"))
        }
        let body: OriginBody? = if case .file(let body) = response.content { body } else { nil }
        return .success(
            OriginOutcome(
                origin: original,
                body: body,
                storable: response.policy.isStorable && !response.vary.isAny,
                status: delivery.isCollapsed ? outcome.status.collapsed : outcome.status,
                fetchMicroseconds: outcome.fetchMicroseconds,
                delivery: delivery
            )
        )
    }

    /// Whether the origin was not asked, and nothing stale was used.
    var isStored: Bool { status == .hit(.original) }
}
