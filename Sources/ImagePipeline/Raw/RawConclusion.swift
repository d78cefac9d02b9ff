import HTTPSemantics
import LinuxSystem

/// What an origin's answer means: for the request, and for what is stored.
struct RawConclusion: Sendable {
    let request: RawRequest
    /// What was stored for the request.
    let stored: StoredResponse?
    /// Whether the origin was asked about it with its validators.
    let isValidation: Bool
    let reason: CacheStatus.Reason
    let proxy: RawProxy
    /// What knows whether something was invalidated meanwhile.
    ///
    /// Asked within each change: what is dropped after an answer was kept is dropped with it, and what was dropped before has
    /// marked the flight.
    let flight: RawFlights.Flight

    /// The client's answer; `nil` where the origin must be asked again, without conditions.
    func answer(_ exchange: RawExchange) -> Result<RawAnswer, PipelineError>? {
        let now = proxy.time.wallSeconds
        if isValidation, exchange.status == 304 { return confirmed(exchange, at: now) }
        if exchange.allowsStale, let stale = replacement(at: now) { return .success(stale) }
        proxy.invalidate(request, exchange)
        if request.isHead { updateStored(exchange) }
        guard let kept = keep(exchange) else {
            return .success(RawAnswer(exchange, to: request, status(exchange.status)))
        }
        // Where the client's conditions or range were held back, they are applied here.
        guard isValidation, exchange.status == 200 else {
            return .success(RawAnswer(exchange, to: request, status(exchange.status)))
        }
        return .success(
            RawAnswer(kept, to: request, status(exchange.status), at: now, isValidated: true)
        )
    }

    /// The client's answer where there was none.
    func answer(_ error: PipelineError) -> Result<RawAnswer, PipelineError> {
        guard error.allowsStale, let stale = replacement(at: proxy.time.wallSeconds) else {
            return .failure(error.after(asking: reason))
        }
        return .success(stale)
    }

    private func status(_ status: Int) -> CacheStatus { .forwarded(reason, status: status, collapsed: false) }

    /// RFC 9111 §4.2.4, RFC 5861 §4.
    private func replacement(at now: Int64) -> RawAnswer? {
        guard request.isCacheable, let stored, stored.mayReplaceError(at: now, for: request) else { return nil }
        return RawAnswer(stored, to: request, .hit(.stale), at: now)
    }

    /// RFC 9111 §4.3.4: the response that the 304 speaks of, updated.
    private func confirmed(_ exchange: RawExchange, at now: Int64) -> Result<RawAnswer, PipelineError>? {
        guard var stored, names(exchange, stored) else {
            proxy.cache.change(request) { entry in
                entry.change {
                    $0.selection.matches(request.fields)
                } _: {
                    $0.expire()
                }
            }
            return nil
        }
        let wasFresh = stored.policy.freshness.isFresh(at: now)
        stored.update(with: exchange, for: request)
        let confirmed = stored
        // What is asked about each time again need not be written each time.
        let persists = wasFresh || confirmed.policy.freshness.isFresh(at: now)
        proxy.cache.change(request, persists: persists) { entry in
            if flight.mayKeep { renew(confirmed, in: &entry) }
        }
        var answer = RawAnswer(stored, to: request, status(304), at: now, isValidated: true)
        if request.source.setCookie == .refuse { answer.append(cookiesOf: exchange) }
        return .success(answer)
    }

    /// Keeps a stored response as an answer to this request has renewed it, where others may get it so.
    private func renew(_ updated: StoredResponse, in entry: inout RawEntry) {
        if updated.policy.isStorable {
            entry.keep(updated, for: request)
        } else if updated.isWithdrawn {
            entry.remove { $0.selection == updated.selection }
        }
        // Else only this request's Authorization forbids it (RFC 9111 §3.5): what is stored stays as it was.
    }

    /// Whether a 304 is about what was asked: an entity tag in it is the one that was sent.
    private func names(_ exchange: RawExchange, _ stored: StoredResponse) -> Bool {
        guard let new = exchange.fields["etag"].flatMap({ EntityTag($0) }),
            let old = stored.entityTag.flatMap({ EntityTag($0) })
        else { return true }
        return new.matchesWeakly(old)
    }

    /// Keeps an answer where that is allowed; else remembers that it could not be shared.
    private func keep(_ exchange: RawExchange) -> StoredResponse? {
        guard request.isGet else { return nil }
        if let stored = StoredResponse(exchange, to: request), flight.mayKeep {
            proxy.cache.change(request) { if flight.mayKeep { $0.keep(stored, for: request) } }
            return stored
        }
        // What it replaces is not right any more, even where the new may not be kept.
        if stored != nil, !exchange.allowsStale, ![206, 304].contains(exchange.status) {
            proxy.cache.change(request, persists: !exchange.isDenial) { entry in
                if exchange.isDenial {
                    entry.change(where: { $0.selection.matches(request.fields) }) { $0.requireValidation() }
                } else {
                    entry.remove { $0.selection.matches(request.fields) }
                }
            }
        }
        if request.mayCollapse {
            let until = proxy.time.wallSeconds + RawProxy.separation
            proxy.cache.change(request, persists: false) { $0.separateUntil = until }
        }
        return nil
    }

    /// RFC 9111 §4.3.5: what HEAD says of the stored response to GET.
    private func updateStored(_ exchange: RawExchange) {
        guard exchange.status == 200, proxy.cache.entry(of: request)?.responses.isEmpty == false else {
            return
        }
        let length = exchange.fields["content-length"].flatMap { Int($0) }
        proxy.cache.change(request) { entry in
            guard flight.mayKeep else { return }
            entry.change {
                $0.selection.matches(request.fields) && $0.status == 200
            } _: { stored in
                let isSame =
                    exchange.fields["etag"].map { $0 == stored.entityTag } ?? true
                    && exchange.fields["last-modified"].map { $0 == stored.lastModified } ?? true
                    && length.map { $0 == stored.body.count } ?? true
                guard isSame else { return stored.expire() }
                var updated = stored
                updated.update(with: exchange, for: request)
                if updated.policy.isStorable {
                    stored = updated
                } else if updated.isWithdrawn {
                    stored.expire()
                }
            }
        }
    }
}
