package import HTTPSemantics
package import LinuxSystem

/// One exchange with an origin, shared by all waiting requests: sends the request, interprets the response and updates the store
/// (RFC 9111 §3, §4.3).
///
/// Starts on the caller's thread and continues on the loader's, or on the read lane if the store blocks.
package final class CacheExchange<Origin: CacheOrigin>: Sendable {
    package typealias Failure = Origin.Failure

    /// Seconds for which requests for a URL are not collapsed after a response that could not be shared.
    static var separation: Int64 { 60 }

    /// The dependencies that all exchanges of a cache share.
    package struct Context: Sendable {
        let loader: any ResponseLoading<Origin>
        let failures: NegativeCache<Failure>
        let lane: WorkLane?
        let time: any TimeSource
        let progress: PurgeProgress

        /// Creates a context.
        package init(
            loader: any ResponseLoading<Origin>,
            failures: NegativeCache<Failure>,
            lane: WorkLane?,
            time: any TimeSource,
            progress: PurgeProgress = .alone
        ) {
            self.loader = loader
            self.failures = failures
            self.lane = lane
            self.time = time
            self.progress = progress
        }
    }

    /// The form of the request sent to the origin.
    enum Form: Sendable {
        /// As the client sent it.
        case own
        /// With the validators of the stored response (RFC 9111 §4.3.1).
        case validating
        /// For the whole response, without conditions; the client's conditions and range are applied to the response.
        case whole
        /// For the missing bytes of the stored partial response, if it has not changed; otherwise for the whole.
        case completing
    }

    /// Maximum bytes of a whole response fetched to serve a range of it.
    static var widest: Int { 8 << 20 }

    let request: CacheRequest<Origin>
    /// The stored response to validate or replace; `nil` if none matches.
    let stored: StoredResponse?
    private let reason: CacheStatus.Reason
    let store: any ResponseStore<Failure>
    let context: Context
    let flight: Flight<CacheOutcome, Failure>
    /// What is known of purges before the origin is asked.
    let stamp: PurgeStamp
    private let widens: Bool
    /// Called with each interim response of the origin.
    private let interim: (@Sendable (InterimResponse) -> Void)?
    let load = Lock<(any CancellableLoad)?>(nil)
    /// Whether this is the single probe after a back-off; its end permits the next probe, whatever the result.
    private let isProbe = Lock(false)
    /// The content of a response that was announced while it arrived.
    private let arriving = Lock<GrowingFile?>(nil)
    /// Whether the last reader of that content has left.
    private let isAbandoned = Lock(false)

    /// Creates an exchange; `start()` begins it.
    ///
    /// - Parameters:
    ///   - widens: whether to request the whole response instead of a range, up to `widest` bytes.
    ///   - interim: called with each interim response of the origin, on the loader's thread; they have no effect on the cache.
    package init(
        _ request: CacheRequest<Origin>,
        stored: StoredResponse?,
        _ reason: CacheStatus.Reason,
        store: any ResponseStore<Failure>,
        context: Context,
        flight: Flight<CacheOutcome, Failure>,
        widens: Bool = false,
        interim: (@Sendable (InterimResponse) -> Void)? = nil
    ) {
        self.widens = widens
        self.interim = interim
        self.request = request
        self.stored = stored
        self.reason = reason
        self.store = store
        self.context = context
        self.flight = flight
        stamp = context.progress.stamp
    }

    /// Sends the request, unless the origin is in back-off after a failure.
    package func start() {
        followWaiters()
        // A 304 cannot restore evicted content.
        let canAnswer = stored?.canAnswer(request) ?? false
        let isValidatable = canAnswer && stored?.hasValidator == true
        let completes = !canAnswer && stored?.isPartial == true
        let form: Form = isValidatable ? .validating : completes ? .completing : widens ? .whole : .own
        guard request.remembersFailures, !request.demand.retryFailed else { return send(form) }
        // A request that requires validation ignores remembered failures, except an outage of the origin.
        if request.demand.isStrict || !context.progress.trustsUnvalidated {
            if let failure = context.failures.outage(request.failureKey) { return end(standIn(for: failure)) }
            return send(form)
        }
        switch context.failures.admit(request.failureKey) {
        case .clear: break
        case .blocked(let failure): return end(standIn(for: failure))
        case .probe:
            isProbe.withLock { $0 = true }
            // Other requests do not wait for the probe: it may take as long as the failed attempt.
            flight.detach()
        }
        send(form)
    }

    /// Ends a request that must not be forwarded: with a failure, or with a stored response that may replace it.
    package func unavailable() {
        guard case .blocked(let failure) = context.failures.verdict(request.failureKey) else {
            return end(.failure(.notCached))
        }
        end(standIn(for: failure))
    }

    func send(_ form: Form) {
        let validated = form == .validating ? stored : nil
        let isLimited = widens && (form == .whole || form == .completing)
        var fetch = CacheFetch(request)
        fetch.priority = priority
        fetch.claims = flight.claims
        fetch.interim = interim
        if request.passesResponses {
            let sent = sentRequest(form)
            if isLimited { fetch.byteLimit = Self.widest }
            fetch.message = CacheFetch.Message(method: sent.method, fields: sent.fields, body: sent.body)
        } else {
            fetch.entityTag = validated?.entityTag
            fetch.lastModified = validated?.lastModified
        }
        let began = context.time.monotonic
        // Whether the whole is short enough to be fetched for a range is known at its end, as is what completes stored parts.
        let announces = !isLimited && form != .completing
        let arrival: (@Sendable (FetchedResponse) -> Void)? =
            announces
            ? { @Sendable [self] response in
                announce(response, form, UInt32(clamping: (context.time.monotonic - began) / 1000))
            } : nil
        let handle = context.loader.load(fetch, arrival: arrival) { [self] result in
            let microseconds = UInt32(clamping: (context.time.monotonic - began) / 1000)
            switch result {
            case .failure(let error) where error.isOverLimit && isLimited:
                store.change(.keepParts(until: context.time.wallSeconds + Self.separation))
                send(.own)
            case .failure(let error): proceed { self.fail(error) }
            case .success(var response):
                if request.passesResponses { response.content.readShort() }
                proceed { [response] in self.conclude(response, form, microseconds) }
            }
        }
        load.withLock { $0 = handle }
        // Clients may have joined or left before there was a load to tell.
        if flight.hasChanged { handle.waitersChanged() }
        flight.enter(.transfer)
        flight.follow { (handle.received, handle.expected) }
        // The flight may have been abandoned, or the last reader may have left, before there was a load to cancel. An announced
        // response has no reader yet while its waiters are being called.
        if flight.isOver, !hasReaders, !isAnnounced || isAbandoned.withLock({ $0 }) { handle.cancel() }
    }

    /// The raw request in a form.
    private func sentRequest(_ form: Form) -> CacheRequest<Origin> {
        switch (form, stored) {
        case (.own, _): request
        case (.validating, let stored?): request.validating(stored)
        case (.completing, let stored?): request.completing(stored)
        default: request.unconditional
        }
    }

    /// Continues on a thread that may change the store.
    private func proceed(_ work: @escaping @Sendable () -> Void) {
        guard store.blocks, let lane = context.lane else { return work() }
        if !lane.submit(work) { end(.failure(.diskQueueFull)) }
    }

    // MARK: Arriving responses

    /// Gives the waiting requests a response whose content is still arriving.
    ///
    /// A response that may be stored is only announced: the flight ends when the content is complete and stored, so that
    /// requests meanwhile share it. Any other response ends the flight.
    private func announce(_ response: FetchedResponse, _ form: Form, _ microseconds: UInt32) {
        guard case .growing(let file) = response.content, request.passesResponses || response.status == 200,
            !(response.allowsStale && replacement != nil), !flight.isOver
        else { return }
        arriving.withLock { $0 = file }
        var new = StoredResponse(response, to: request, policy: response.policy(for: request, bounds(response)))
        new.stamp = stamp
        let isStorable = request.isGet && file.isKept && new.isStorable(for: request) && flight.mayPublish
        if isStorable || !request.passesResponses {
            var outcome = CacheOutcome(new, status(of: response), isValidated: true, microseconds)
            if form == .own { outcome.received = response }
            flight.announce(outcome)
        } else {
            conclude(response, form, microseconds)
        }
        // Set last: the requests that were waiting are the first readers.
        file.onAbandon { [self] in
            isAbandoned.withLock { $0 = true }
            if flight.isOver { load.withLock { $0 }?.cancel() } else { flight.reconsider() }
        }
    }

    /// Whether a response that was passed on while it arrived has ended the flight.
    private var isConcluded: Bool { flight.isOver && isAnnounced }
    private var isAnnounced: Bool { arriving.withLock { $0 != nil } }
    var hasReaders: Bool { arriving.withLock { $0?.hasReaders ?? false } }

    // MARK: Conclusions

    private func conclude(_ response: FetchedResponse, _ form: Form, _ microseconds: UInt32) {
        guard !isConcluded else { return }
        if response.status == 304, form == .validating { return confirm(by: response, microseconds) }
        guard request.passesResponses || response.status == 200 else {
            return fail(.originStatus(response.status), RetryHints(response))
        }
        // A 416 says that the range of the stored part no longer exists.
        if response.allowsStale, response.status != 416, let replacement {
            remember(.originStatus(response.status), RetryHints(response))
            return end(.success(replacement))
        }
        if !request.isSafe, (200..<400).contains(response.status) { store.change(.invalidate(response)) }
        if request.isHead, response.status == 200 { store.change(.update(response)) }
        guard request.isGet else {
            keepRepresentation(in: response)
            return pass(response, microseconds)
        }
        if form == .completing, [206, 304, 416].contains(response.status) {
            return complete(by: response, microseconds)
        }
        if keepPart(of: response, form) { return pass(response, microseconds) }
        keep(response, form, microseconds)
    }

    /// Stores a response if allowed, and ends with it.
    private func keep(_ response: FetchedResponse, _ form: Form, _ microseconds: UInt32) {
        let policy = response.policy(for: request, bounds(response))
        var new = StoredResponse(response, to: request, policy: policy)
        new.stamp = stamp
        let isStorable = new.isStorable(for: request) && new.isComplete
        // Directives that forbid storing the response apply to everything derived from it.
        if !isStorable, !request.passesResponses { new.expire() }
        if request.passesResponses, !(isStorable && flight.mayPublish) {
            if response.status >= 400 {
                remember(.originStatus(response.status), RetryHints(response))
            } else {
                forgetFailure()
            }
            if stored != nil, !response.allowsStale || response.status == 416, ![206, 304].contains(response.status) {
                store.change(response.isDenial ? .requireValidation : .remove)
            }
            if request.mayCollapse || widens {
                let until = context.time.wallSeconds + Self.separation
                store.change(.separate(until: until))
            }
            return pass(response, microseconds)
        }
        do throws(Failure) {
            new = try store.admit(new, isStorable: isStorable, replacing: stored)
        } catch {
            return fail(error, RetryHints(response))
        }
        forgetFailure()
        guard !request.passesResponses || form != .own && response.status == 200 else {
            return pass(response, microseconds)
        }
        // Conditions and ranges that were not forwarded are applied to the stored response.
        let status = isReread(new) ? CacheStatus.hit(.original) : status(of: response)
        var outcome = CacheOutcome(new, status, isValidated: true, microseconds)
        outcome.phases = response.phases
        end(.success(outcome))
    }

    /// Whether a file of a folder source was read again, unchanged; this counts as a hit.
    private func isReread(_ new: StoredResponse) -> Bool {
        request.source.isFolder && stored?.original?.record.digest == new.original?.record.digest
    }

    /// Updates the stored response from a 304 and ends with it (RFC 9111 §4.3.4).
    private func confirm(by response: FetchedResponse, _ microseconds: UInt32) {
        guard let stored, names(response, stored) else {
            // The 304 names another entity tag than the one sent, so retry without conditions.
            store.change(.expire)
            return send(stored?.isPartial == true ? .own : .whole)
        }
        forgetFailure()
        let now = context.time.wallSeconds
        var updated = stored
        updated.update(with: response, for: request, bounds: bounds(response))
        updated.stamp = stamp
        if !updated.policy.isStorable, !request.passesResponses { updated.expire() }
        let changesFreshness =
            stored.policy.freshness.isFresh(at: now) || updated.policy.freshness.isFresh(at: now)
            || stored.stamp.era != stamp.era
        updated = store.renew(updated, from: stored, changesFreshness: changesFreshness)
        var outcome = CacheOutcome(updated, status(of: response), isValidated: true, microseconds)
        outcome.phases = response.phases
        outcome.cookies = ownCookies(in: response)
        end(.success(outcome))
    }

    /// The cookies of a response that updates a stored one; only the requesting client receives them.
    func ownCookies(in response: FetchedResponse) -> [FieldLine] {
        guard request.source.isRaw, !request.source.storesCookies else { return [] }
        return response.fields.endToEnd.lines.filter { $0.key == "set-cookie" }
    }

    /// Ends with the response as the origin sent it.
    private func pass(_ response: FetchedResponse, _ microseconds: UInt32) {
        end(.success(CacheOutcome(passing: response, status(of: response), microseconds)))
    }

    /// Remembers a failure, and ends with it or with a stored response that may replace it.
    private func fail(_ error: Failure, _ hints: RetryHints = RetryHints()) {
        guard !isConcluded else { return }
        // A response that has turned out to be too long while it arrived is passed on, now and the next time.
        if error.isOverLimit, request.passesResponses, isAnnounced { return end(.failure(error)) }
        remember(error, hints)
        end(standIn(for: error.after(asking: reason)))
    }

    private func remember(_ error: Failure, _ hints: RetryHints) {
        guard !request.origin.keepsNothing else { return }
        // One that was found out before purges were missed may be over.
        if request.remembersFailures, stamp.era == context.progress.era {
            let hasStored = stored != nil && !error.saysGone
            _ = flight.publish {
                context.failures.record(
                    request.failureKey,
                    error,
                    of: request.origin,
                    hints: hints,
                    hasStored: hasStored
                )
            }
        }
        guard !request.passesResponses, stored != nil else { return }
        if error.saysGone { store.change(.removeGone) } else if error.isDenial { store.change(.requireValidation) }
    }

    func forgetFailure() {
        context.failures.forget(request.failureKey)
        if !request.passesResponses, request.failureKey != request.key { context.failures.forget(request.key) }
    }

    /// Returns a failure, or the stored response that may replace it (RFC 5861 §4).
    private func standIn(for error: Failure) -> Result<CacheOutcome, Failure> {
        if error.traits.isDisconnection, let stored, stored.mayReplaceDisconnection(for: request) {
            return .success(CacheOutcome(stored, .hit(.stale)))
        }
        guard error.allowsStale, var replacement else { return .failure(error) }
        replacement.isOverload = error.traits.isOverload
        return .success(replacement)
    }

    private var replacement: CacheOutcome? {
        guard let stored, stored.mayReplaceError(at: context.time.wallSeconds, for: request, context.progress)
        else { return nil }
        return CacheOutcome(stored, .hit(.stale))
    }

    func end(_ result: Result<CacheOutcome, Failure>) {
        if isProbe.withLock({ $0 }) { context.failures.giveUp(request.failureKey) }
        if case .failure(let failure) = result { store.ended(failure) } else { store.ended(nil) }
        flight.finish(result)
    }

    /// Whether a 304 refers to the stored response: its entity tag, if any, must match the one sent.
    private func names(_ response: FetchedResponse, _ stored: StoredResponse) -> Bool {
        guard let new = response.fields["etag"].flatMap({ EntityTag($0) }),
            let old = stored.entityTag.flatMap({ EntityTag($0) })
        else { return true }
        return new.matchesWeakly(old)
    }

    func status(of response: FetchedResponse) -> CacheStatus { .answered(reason, status: response.status) }

    func bounds(_ response: FetchedResponse) -> ResponsePolicy.Bounds {
        let missing = request.remembersFailures ? context.failures.lifetimeOfMissing : nil
        let rule = request.origin.rule(for: response, updating: response.status == 304 ? stored : nil)
        return request.bounds(rule, granted: response.grantedLifetime, missing: missing)
    }
}
