import HTTPSemantics
import LinuxSystem
import OriginTransfer

/// One raw request on its way: decided, perhaps sent, answered once.
final class RawTask: Sendable {
    private struct State: Sendable {
        var completion: RawProxy.Completion?
        var handle: (any LoadHandle)?
        var isCancelled = false
    }

    let request: RawRequest
    let proxy: RawProxy
    private let state: Lock<State>

    init(_ request: RawRequest, proxy: RawProxy, completion: RawProxy.Completion?) {
        self.request = request
        self.proxy = proxy
        state = Lock(State(completion: completion))
    }

    /// Decides what to do, and does it.
    ///
    /// - Parameters:
    ///   - hold: what keeps the URL's entry at hand; `nil` where nothing stored may answer.
    ///   - mayWait: whether another request's answer may be waited for.
    func start(_ hold: RawHold?, mayWait: Bool) {
        // Its client may have left while it waited.
        guard !state.withLock({ $0.isCancelled }) else { return }
        let now = proxy.time.wallSeconds
        let entry = hold.flatMap { _ in proxy.cache.entry(of: request) }
        // What no tier keeps is for those alone who have waited for it.
        let isUsable = !mayWait || request.tiers != .none
        switch RawDecision(request, stored: isUsable ? entry?.responses ?? [] : [], now: now) {
        case .serve(let stored, let isStale, let refreshes):
            if refreshes { refresh(stored, hold) }
            proxy.cache.touch(request)
            // What it has waited for has not been read for it.
            let tier = mayWait && hold?.isFromDisk == true ? CacheStatus.Tier.disk : .memory
            finish(.success(RawAnswer(stored, to: request, .hit(isStale ? .stale : tier), at: now)))
        case .unavailable: finish(.failure(.notCached))
        case .validate(let stored, let reason): ask(about: stored, reason, hold, now, mayWait: mayWait)
        case .forward(let reason): ask(about: nil, reason, hold, now, mayWait: mayWait)
        }
    }

    /// Gives the request up: its client has left.
    ///
    /// What others wait for, or what changes something, goes on.
    func cancel() {
        let handle = state.withLock { state -> (any LoadHandle)? in
            state.isCancelled = true
            state.completion = nil
            return state.handle
        }
        handle?.cancel()
    }

    private func finish(_ result: Result<RawAnswer, PipelineError>) {
        let completion = state.withLock { state in
            defer { state.completion = nil }
            return state.completion
        }
        completion?(result)
    }

    private func ask(
        about stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ hold: RawHold?,
        _ now: Int64,
        mayWait: Bool
    ) {
        let separateUntil = hold.flatMap { _ in proxy.cache.entry(of: request)?.separateUntil } ?? .min
        guard mayWait, request.mayCollapse, separateUntil <= now else {
            send(about: stored, reason, proxy.flights.begin(request), hold)
            return
        }
        // Woken, it looks again: what has been stored may do, or not.
        let admission = proxy.flights.join(request) { self.start(hold, mayWait: false) }
        guard case .begin(let flight) = admission else { return }
        guard !hasAnswer(hold, now) else {
            proxy.flights.end(flight)
            return start(hold, mayWait: false)
        }
        send(about: stored, reason, flight, hold)
    }

    /// Whether another's answer has come between looking for one and asking.
    private func hasAnswer(_ hold: RawHold?, _ now: Int64) -> Bool {
        guard hold != nil, request.tiers != .none, let entry = proxy.cache.entry(of: request) else { return false }
        if case .serve = RawDecision(request, stored: entry.responses, now: now) { return true }
        return false
    }

    /// Asks beside an answer that is stale, unless somebody does already.
    private func refresh(_ stored: StoredResponse, _ hold: RawHold?) {
        let task = RawTask(request.unconditional, proxy: proxy, completion: nil)
        guard let flight = proxy.flights.beginAlone(request) else { return }
        task.send(about: stored, .stale, flight, hold)
    }

    /// - Parameter hold: kept until the answer has been dealt with.
    private func send(
        about stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        _ flight: RawFlights.Flight,
        _ hold: RawHold?
    ) {
        let validated = stored.flatMap { $0.hasValidator ? $0 : nil }
        let sent = validated.map { request.validating($0) } ?? request
        var fetch = OriginFetch(target: request.origin.target, source: request.source)
        fetch.caller = request.caller
        fetch.exchange = OriginFetch.Exchange(method: sent.method, fields: sent.fields, body: sent.body)
        let handle = proxy.loader.load(fetch) { [self] result in
            let conclusion = RawConclusion(
                request: request,
                stored: stored,
                isValidation: validated != nil,
                reason: reason,
                proxy: proxy,
                flight: flight
            )
            let answer: Result<RawAnswer, PipelineError>?
            switch result {
            case .success(.exchanged(let exchange)): answer = conclusion.answer(exchange)
            case .success: answer = .failure(.originProtocol("no answer to what was asked"))
            case .failure(let error): answer = conclusion.answer(error)
            }
            proxy.flights.end(flight)
            guard let answer else { return sendAgain(reason, hold) }
            finish(answer)
        }
        let isLost = state.withLock { state -> Bool in
            // Others may wait for it, and what changes something is not broken off.
            guard !flight.isShared, request.isSafe else { return false }
            state.handle = handle
            return state.isCancelled
        }
        if isLost { handle.cancel() }
    }

    /// The origin confirmed something else than it was asked about: asked once more, without conditions.
    private func sendAgain(_ reason: CacheStatus.Reason, _ hold: RawHold?) {
        let task = RawTask(request.unconditional, proxy: proxy) { [self] result in finish(result) }
        task.send(about: nil, reason, proxy.flights.begin(request), hold)
    }
}
