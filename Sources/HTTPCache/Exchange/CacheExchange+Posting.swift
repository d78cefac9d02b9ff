import HTTPSemantics

/// Responses to POST.
extension CacheExchange {
    /// Stores a response to POST for later GET and HEAD requests, if it is the target's representation (RFC 9110 §9.3.3).
    ///
    /// The origin says so with a `Content-Location` equal to the target, and must state a lifetime. A POST itself is never
    /// answered from the cache.
    func keepRepresentation(in response: FetchedResponse) {
        guard request.method == "POST", response.status == 200, let url = request.origin.url,
            let location = response.fields["content-location"],
            (try? url.resolving(location))?.normalized == url.normalized
        else { return }
        let get = request.asGet
        let policy = response.policy(for: get, bounds(response))
        var new = StoredResponse(response, to: get, policy: policy)
        new.stamp = stamp
        guard policy.statesLifetime, policy.freshness.lifetime > 0, new.isStorable(for: get), flight.mayPublish else {
            return
        }
        _ = try? store.admit(new, isStorable: true, replacing: nil)
    }
}
