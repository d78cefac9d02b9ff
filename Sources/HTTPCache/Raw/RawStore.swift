import HTTPSemantics

/// The store of one exchange: the responses of a raw source's URL.
struct RawStore<Origin: CacheOrigin>: ResponseStore {
    typealias Failure = Origin.Failure

    let request: CacheRequest<Origin>
    let proxy: RawProxy<Origin>
    /// The hold on the URL's entry; `nil` if no stored response may be used.
    let hold: RawHold?
    let flight: Flight<CacheOutcome, Origin.Failure>

    /// False: changes are made in memory, and disk writes are queued.
    package var blocks: Bool { false }

    package func admit(_ response: StoredResponse, isStorable: Bool, replacing stored: StoredResponse?)
        -> StoredResponse
    {
        // Without a disk, only content that fits in memory can be stored.
        let isOnDisk = request.tiers.keepOnDisk && proxy.cache.hasDisk
        guard let kept = isOnDisk ? response : response.inMemory(limit: proxy.cache.largestCost) else {
            change(.remove)
            return response
        }
        publish { $0.keep(kept, for: request) }
        return response
    }

    package func renew(_ response: StoredResponse, from stored: StoredResponse, changesFreshness: Bool)
        -> StoredResponse
    {
        // A response that is validated on every use is not written every time.
        publish(persists: changesFreshness || response.isWithdrawn) { entry in
            if response.policy.isStorable {
                entry.keep(response, for: request)
            } else if response.isWithdrawn {
                entry.remove { $0.vary == response.vary }
            }
            // Otherwise only this request's Authorization forbids storing (RFC 9111 §3.5); the stored response is unchanged.
        }
        return response
    }

    package func change(_ change: ResponseChange) {
        switch change {
        case .expire: publish { $0.change(where: matches) { $0.expire() } }
        case .requireValidation: publish(persists: false) { $0.change(where: matches) { $0.requireValidation() } }
        case .remove, .removeGone: publish { $0.remove(where: matches) }
        case .separate(let until): publish(persists: false) { $0.separateUntil = until }
        case .keepParts(let until): publish(persists: false) { $0.partsUntil = until }
        case .update(let response): update(by: response)
        case .invalidate(let response): proxy.invalidate(request.origin, response, by: flight)
        }
    }

    /// Updates the stored response to GET from a response to HEAD (RFC 9111 §4.3.5).
    private func update(by response: FetchedResponse) {
        guard proxy.cache.entry(of: request)?.responses.isEmpty == false else { return }
        let length = response.fields["content-length"].flatMap { Int($0) }
        publish { entry in
            entry.change {
                matches($0) && $0.status == 200
            } _: { stored in
                let isSame =
                    response.fields["etag"].map { $0 == stored.entityTag } ?? true
                    && response.fields["last-modified"].map { $0 == stored.lastModified } ?? true
                    && length.map { $0 == stored.content.length } ?? true
                guard isSame else { return stored.expire() }
                var updated = stored
                updated.update(with: response, for: request, bounds: ResponsePolicy.Bounds())
                if updated.policy.isStorable {
                    stored = updated
                } else if updated.isWithdrawn {
                    stored.expire()
                }
            }
        }
    }

    private func matches(_ response: StoredResponse) -> Bool { response.matches(request) }

    /// Changes the entry, unless it has been purged since the flight started.
    private func publish(persists: Bool = true, _ change: (inout RawEntry) -> Void) {
        _ = flight.publish { proxy.cache.change(request, persists: persists, change) }
    }
}
