import HTTPCache
import HTTPSemantics
import LinuxSystem

/// Looks up, fetches and stores originals, once for all variants that need them.
struct Originals: Sendable {
    let pool: TaskPool<CacheOutcome, PipelineError>
    private let background: BackgroundWork<CacheOutcome, PipelineError>
    private let parts: PipelineParts

    init(pool: TaskPool<CacheOutcome, PipelineError>, parts: PipelineParts) {
        self.pool = pool
        self.parts = parts
        background = BackgroundWork(pool: pool, kinds: [.refresh], time: parts.time)
    }

    /// Selects the requests that share a flight.
    enum Purpose: String, Sendable {
        /// All requests for the original.
        case any
        /// Only requests that need the content, because other flights may validate only.
        case body
    }

    typealias Waiter = @Sendable (Result<OriginOutcome, PipelineError>) -> Void

    /// An original whose content is still arriving, and how it is obtained.
    struct Arrival: Sendable {
        var response: StoredResponse
        var file: GrowingFile
        var status: CacheStatus
    }

    /// Joins or starts the flight of an original; any thread.
    ///
    /// - Parameters:
    ///   - isReplaced: whether something stored replaces the content of a stored original. Only called if its content is not
    ///     stored, on the read lane.
    ///   - arrival: called if the content takes long to arrive, before `waiter`.
    ///   - waiter: called once, on the thread that ends the flight, unless the subscription is cancelled first.
    func join(
        _ request: OriginRequest,
        _ context: LoadContext,
        purpose: Purpose = .any,
        needsBody: Bool,
        unless isReplaced: (@Sendable (OriginRecord) -> Bool)? = nil,
        arrival: (@Sendable (Arrival) -> Void)? = nil,
        waiter: @escaping Waiter
    ) -> Subscription {
        var needed = CacheRequest(request, demand: context.demand, caller: context.caller)
        needed.needsBody = needsBody
        needed.isRefresh = context.isRefresh
        needed.priority = context.priority
        needed.account = context.account
        var early = EarlyDelivery<CacheOutcome>.none
        if let arrival {
            early = .also { outcome in
                guard case .stored(let response) = outcome.answer, case .growing(let file) = response.content else {
                    return
                }
                arrival(Arrival(response: response, file: file, status: outcome.status))
            }
        }
        return pool.join(
            key(needed, purpose),
            about: PurgeSubject(request),
            account: context.account,
            deadline: context.deadline,
            // A refresh that no client has joined comes last.
            priority: context.isRefresh && context.priority == .low ? .background : context.priority,
            claims: context.claims,
            early: early
        ) { result, delivery in
            waiter(
                result.flatMap { OriginOutcome.result(of: $0, delivery) }
                    .mapError { delivery.isCollapsed ? $0.collapsed : $0 }
            )
        } start: { flight in
            start(needed, unless: isReplaced, flight)
        }
    }

    /// Refreshes an original in the background, unless a refresh is already running.
    private func refresh(_ request: OriginRequest) {
        var refresh = CacheRequest(request)
        refresh.needsBody = false
        refresh.isRefresh = true
        background.refresh(
            request.key,
            about: PurgeSubject(request),
            failures: parts.failures,
            request.key
        ) { [self, refresh] flight in
            start(refresh, flight)
        }
    }

    private func start(
        _ request: CacheRequest<OriginRequest>,
        unless isReplaced: (@Sendable (OriginRecord) -> Bool)? = nil,
        _ flight: Flight<CacheOutcome, PipelineError>
    ) {
        var request = request
        request.deadline = flight.deadline
        flight.enter(.disk)
        let isTaken = parts.readLane.submit { [request] in
            guard !request.deadline.isPast(at: parts.time.monotonic) else {
                return flight.finish(.failure(.diskWaitTooLong))
            }
            decide(request, unless: isReplaced, flight)
        }
        if !isTaken { flight.finish(.failure(.diskQueueFull)) }
    }

    private func decide(
        _ request: CacheRequest<OriginRequest>,
        unless isReplaced: (@Sendable (OriginRecord) -> Bool)?,
        _ flight: Flight<CacheOutcome, PipelineError>
    ) {
        var request = request
        // Before anything is read: purges of later places taint the flight.
        let place = parts.shared?.place ?? SharedPlace()
        let stamp = parts.progress.stamp
        let store = OriginalStore(request: request.origin, parts: parts, flight: flight, place: place, stamp: stamp)
        let stored = OriginalStore.find(request.origin, in: parts)
        if let isReplaced, case .evicted = stored?.content, let record = stored?.original?.record, isReplaced(record) {
            request.needsBody = false
        }
        let stage = RestoredOriginalStage(store: store, request: request)
        guard let stored, let copy = stage.copy(insteadOf: stored) else { return decide(request, stored, store) }
        stage.restore(stored, from: copy) { [request] in decide(request, $0, store) }
    }

    /// Looks up in the shared store what is not stored here.
    private func decide(
        _ request: CacheRequest<OriginRequest>,
        _ stored: StoredResponse?,
        _ store: OriginalStore
    ) {
        let stage = SharedOriginalStage(store: store, needsBody: request.needsBody)
        guard stage.mayReplace(stored) else { return act(request, stored, store) }
        stage.find(insteadOf: stored) { found in
            guard let found else { return act(request, stored, store) }
            act(request, found, store, tier: .shared)
        }
    }

    /// Serves or validates what is stored, or asks the origin.
    ///
    /// - Parameter tier: where a fresh response was found.
    private func act(
        _ request: CacheRequest<OriginRequest>,
        _ stored: StoredResponse?,
        _ store: OriginalStore,
        tier: CacheStatus.Tier = .original
    ) {
        let flight = store.flight
        let decision = CacheDecision(
            request,
            stored: stored.map { [$0] } ?? [],
            allowsStale: parts.failures.backoffError(for: request.failureKey)?.allowsStale != false,
            progress: parts.progress,
            now: parts.time.wallSeconds
        )
        switch decision {
        case .serve(let response, let isStale, let refreshes):
            flight.finish(.success(CacheOutcome(response, .hit(isStale ? .stale : tier))))
            if refreshes { refresh(request.origin) }
        case .validate(let response, let reason): exchange(request, response, reason, store).start()
        case .complete(let response): exchange(request, response, .partial, store).start()
        case .forward(let reason): forward(request, stored, reason, store)
        case .refuse: flight.finish(.failure(.outOfTouch))
        case .unavailable: exchange(request, stored, .request, store).unavailable()
        }
    }

    /// Asks the origin; without anything stored only once no other node is downloading the original.
    private func forward(
        _ request: CacheRequest<OriginRequest>,
        _ stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ store: OriginalStore
    ) {
        let stage = SharedOriginalStage(store: store, needsBody: request.needsBody)
        guard stored == nil, let leases = stage.leases(for: request) else {
            return exchange(request, stored, reason, store).start()
        }
        stage.takeTurn(request, leases) { found, lease in
            if let found { return act(request, found, store, tier: .shared) }
            var store = store
            store.lease = lease
            exchange(request, nil, reason, store).start()
        }
    }

    private func exchange(
        _ request: CacheRequest<OriginRequest>,
        _ stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ store: OriginalStore
    ) -> CacheExchange<OriginRequest> {
        CacheExchange(
            request,
            stored: stored,
            reason,
            store: store,
            context: parts.exchanges,
            flight: store.flight
        )
    }

    /// Returns the flight's key: requests with other directives, purposes or loop names do not share a flight.
    private func key(_ request: CacheRequest<OriginRequest>, _ purpose: Purpose) -> CacheKey {
        let suffix = request.caller.keySuffix
        guard request.demand != .none || purpose != .any || !suffix.isEmpty else {
            return parts.progress.flightKey(request.key)
        }
        return parts.progress.flightKey(
            CacheKey(hashing: "flight/1\n\(request.key)\n\(purpose)\(request.demand.keySuffix)\(suffix)")
        )
    }
}

/// An original for a variant: its state, its bytes, and how they were obtained.
struct OriginOutcome: Sendable {
    var origin: OriginSnapshot
    /// The bytes; `nil` if only freshness was checked and they are not stored.
    var body: OriginBody?
    /// Whether a shared cache may store the original and its variants (RFC 9111 §3).
    var storable: Bool
    var status: CacheStatus
    /// Microseconds of the transfer; 0 without one.
    var fetchMicroseconds: UInt32 = 0
    /// The phases of the transfer.
    var phases = FetchPhases()
    /// The delivery to all waiting variants.
    var delivery: Delivery?
    /// Whether it is stale, and this server had no room to validate it.
    var isOverload = false

    /// Converts the outcome of an exchange.
    fileprivate static func result(
        of outcome: CacheOutcome,
        _ delivery: Delivery
    ) -> Result<OriginOutcome, PipelineError> {
        guard case .stored(let response) = outcome.answer, let original = response.original else {
            return .failure(.notDelivered)
        }
        let body: OriginBody? = if case .file(let body) = response.content { body } else { nil }
        return .success(
            OriginOutcome(
                origin: original,
                body: body,
                storable: response.policy.isStorable && !response.vary.isAny,
                status: delivery.isCollapsed ? outcome.status.collapsed : outcome.status,
                fetchMicroseconds: outcome.fetchMicroseconds,
                phases: outcome.phases,
                delivery: delivery,
                isOverload: outcome.isOverload
            )
        )
    }

    /// Whether a fresh stored original was used without contacting the origin.
    var isStored: Bool { status == .hit(.original) || status == .hit(.shared) }
}

extension StageTimings {
    /// Creates timings with the transfer's only.
    init(of outcome: OriginOutcome) {
        self.init()
        fetch = outcome.fetchMicroseconds
        phases = outcome.phases
    }
}
