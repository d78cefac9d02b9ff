import HTTPSemantics
import LinuxSystem

/// One raw request in progress: decides how to serve it, contacts the origin if needed, and completes once.
final class RawLoad<Origin: CacheOrigin>: Sendable {
    private struct State: Sendable {
        var completion: RawProxy<Origin>.Completion?
        /// Receives interim responses until the completion has been called.
        var interim: RawProxy<Origin>.Interim?
        var subscription: Subscription?
    }

    private let request: CacheRequest<Origin>
    private let proxy: RawProxy<Origin>
    private let state: Lock<State>
    /// When the request arrived, in nanoseconds of the monotonic clock.
    private let arrival: Int64

    init(
        _ request: CacheRequest<Origin>,
        proxy: RawProxy<Origin>,
        interim: RawProxy<Origin>.Interim? = nil,
        completion: @escaping RawProxy<Origin>.Completion
    ) {
        self.request = request
        self.proxy = proxy
        state = Lock(State(completion: completion, interim: interim))
        arrival = proxy.time.monotonic
    }

    /// Serves the request from the cache or from the origin.
    ///
    /// - Parameters:
    ///   - hold: the hold on the URL's entry; `nil` if no stored response may be used.
    ///   - mayWait: whether the request may be collapsed with another one.
    ///   - shared: the status if it has been, and the other one's response is served.
    func start(_ hold: RawHold?, mayWait: Bool, shared: CacheStatus? = nil) {
        // The client may have left meanwhile.
        guard isWanted else { return }
        let now = proxy.time.wallSeconds
        let entry = hold.flatMap { _ in proxy.cache.entry(of: request) }
        // A response that no tier stores is only for the requests that waited for it.
        let isUsable = !mayWait || request.tiers != .none
        switch decision(isUsable ? entry?.responses ?? [] : [], now) {
        case .serve(let stored, let isStale, let refreshes):
            if refreshes { refresh(stored, hold) }
            proxy.cache.touch(request)
            // A response obtained by collapsing was not read from disk for this request.
            let tier = mayWait && hold?.isFromDisk == true ? CacheStatus.Tier.disk : .memory
            finish(.success(CacheOutcome(stored, isStale ? .hit(.stale) : shared ?? .hit(tier))))
        case .unavailable: finish(.failure(.notCached))
        case .refuse: finish(.failure(.outOfTouch))
        case .validate(let stored, let reason): ask(about: stored, reason, hold, now, mayWait: mayWait)
        case .complete(let stored): ask(about: stored, .partial, hold, now, mayWait: mayWait)
        case .forward(let reason): ask(about: nil, reason, hold, now, mayWait: mayWait)
        }
    }

    /// Cancels the request because its client has left.
    func cancel() {
        let subscription = state.withLock { state in
            state.completion = nil
            state.interim = nil
            return state.subscription
        }
        subscription?.cancel()
    }

    /// Ends the request without serving it.
    func fail(_ failure: Origin.Failure) { finish(.failure(failure)) }

    private var isWanted: Bool { state.withLock { $0.completion != nil } }

    private func decision(_ stored: [StoredResponse], _ now: Int64) -> CacheDecision {
        let failure = request.remembersFailures ? proxy.context.failures.backoffError(for: request.failureKey) : nil
        return CacheDecision(
            request,
            stored: stored,
            allowsStale: failure?.allowsStale != false,
            progress: proxy.context.progress,
            arrival: arrival,
            now: now
        )
    }

    private func finish(_ result: Result<CacheOutcome, Origin.Failure>) {
        let completion = state.withLock { state in
            state.interim = nil
            return state.completion.take()
        }
        completion?(result.map { RawAnswer($0, to: request, at: proxy.time.wallSeconds) })
    }

    /// A closure that forwards interim responses until the request has been completed; `nil` if none are wanted.
    private var forwarding: RawProxy<Origin>.Interim? {
        guard state.withLock({ $0.interim != nil }) else { return nil }
        return { [self] response in
            let interim = state.withLock { $0.interim }
            interim?(response.forwarded(for: request))
        }
    }

    private func ask(
        about stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ hold: RawHold?,
        _ now: Int64,
        mayWait: Bool
    ) {
        let entry = hold.flatMap { _ in proxy.cache.entry(of: request) }
        let separateUntil = entry?.separateUntil ?? .min
        let subject = PurgeSubject(request.origin)
        let isPartsOnly = max(separateUntil, entry?.partsUntil ?? .min) > now
        let completes = stored.map { $0.isPartial && !$0.canAnswer(request) } ?? false
        // The rest of what is too large for a range is not fetched for one either.
        if completes, request.isPartial, isPartsOnly || !mayWait {
            return ask(about: nil, reason, hold, now, mayWait: mayWait)
        }
        let isMiss = completes || [.uriMiss, .varyMiss].contains(reason)
        let widens = mayWait && isMiss && request.mayWiden && !isPartsOnly
        let start: (Flight<CacheOutcome, Origin.Failure>) -> Void = { [self] flight in
            exchange(about: stored, reason, hold, flight, widens: widens).start()
        }
        guard mayWait, request.mayCollapse || widens, separateUntil <= now else {
            return keep(
                proxy.flights.startAlone(
                    request.key,
                    about: subject,
                    account: request.account,
                    deadline: request.deadline,
                    priority: request.priority,
                    early: .instead,
                    waiter: { [self] in finish($0, $1) },
                    start: start
                )
            )
        }
        let subscription = proxy.flights.join(
            proxy.context.progress.flightKey(request.key),
            about: subject,
            account: request.account,
            deadline: request.deadline,
            priority: request.priority,
            early: .instead
        ) { [self] result, delivery in
            if !delivery.isCollapsed { finish(result) } else { decideAgain(result, hold) }
        } start: { [self] flight in
            // Another request's response may have been stored since the first lookup.
            if let outcome = answer(hold, now) { flight.finish(.success(outcome)) } else { start(flight) }
        }
        keep(subscription)
    }

    private func finish(_ result: Result<CacheOutcome, Origin.Failure>, _ delivery: Delivery) { finish(result) }

    /// Decides again after waiting for another request's response, which may or may not match this request.
    private func decideAgain(_ result: Result<CacheOutcome, Origin.Failure>, _ hold: RawHold?) {
        guard case .success(let outcome) = result else { return start(hold, mayWait: false) }
        let shared = outcome.status.collapsed
        // A response whose content is still arriving is not stored yet.
        if isWanted, case .stored(let arriving) = outcome.answer, !arriving.isComplete,
            case .serve(let response, let isStale, _) = decision([arriving], proxy.time.wallSeconds)
        {
            return finish(.success(CacheOutcome(response, isStale ? .hit(.stale) : shared)))
        }
        start(hold, mayWait: false, shared: shared)
    }

    /// The stored response that can be served without asking the origin, if there is one now.
    private func answer(_ hold: RawHold?, _ now: Int64) -> CacheOutcome? {
        guard hold != nil, request.tiers != .none, let entry = proxy.cache.entry(of: request),
            case .serve(let stored, let isStale, _) = decision(entry.responses, now)
        else { return nil }
        return CacheOutcome(stored, .hit(isStale ? .stale : .memory))
    }

    /// Stores the subscription to a flight, so that `cancel` can end it.
    private func keep(_ subscription: Subscription) {
        let isLost = state.withLock { state in
            state.subscription = subscription
            return state.completion == nil
        }
        if isLost { subscription.cancel() }
    }

    /// Revalidates a stale response in the background, unless a flight for the key is in progress.
    private func refresh(_ stored: StoredResponse, _ hold: RawHold?) {
        var own = request.refreshing(stored)
        own.account = nil
        own.priority = .background
        let refresh = RawLoad(own, proxy: proxy) { _ in }
        proxy.background.refresh(
            request.key,
            about: PurgeSubject(request.origin),
            failures: proxy.context.failures,
            request.failureKey
        ) { flight in
            refresh.exchange(about: stored, .stale, hold, flight).start()
        }
    }

    private func exchange(
        about stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ hold: RawHold?,
        _ flight: Flight<CacheOutcome, Origin.Failure>,
        widens: Bool = false
    ) -> CacheExchange<Origin> {
        var request = request
        request.deadline = flight.deadline
        return CacheExchange(
            request,
            stored: stored,
            reason,
            store: RawStore(request: request, proxy: proxy, hold: hold, flight: flight),
            context: proxy.context,
            flight: flight,
            widens: widens,
            interim: forwarding
        )
    }
}
