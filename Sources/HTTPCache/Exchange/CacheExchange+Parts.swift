import HTTPSemantics
import LinuxSystem

/// Partial responses (RFC 9111 §3.3, §3.4).
extension CacheExchange {
    /// Stores the part that a 206 to a range request transfers, if allowed.
    ///
    /// A 206 to a request that had no range is never stored.
    /// - Returns: whether the part may be stored; the client receives the response as the origin sent it.
    func keepPart(of response: FetchedResponse, _ form: Form) -> Bool {
        let hadRange = form == .own || form == .validating && stored?.isPartial == true
        guard response.status == 206, request.passesResponses, hadRange, flight.mayPublish,
            let asked = request.fields["range"].flatMap({ ByteRange($0) }),
            let received = ReceivedPart(response, asked: asked)
        else { return false }
        let policy = response.asWhole.policy(for: request, bounds(response))
        guard var new = StoredResponse(received, in: response, to: request, policy: policy),
            new.isStorable(for: request)
        else { return false }
        new.stamp = stamp
        forgetFailure()
        _ = try? store.admit(new, isStorable: true, replacing: stored)
        return true
    }

    /// Completes the stored partial response with the missing bytes, and ends with the whole.
    ///
    /// If the origin's part cannot be combined with the stored ones, they are removed and the whole is requested.
    func complete(by response: FetchedResponse, _ microseconds: UInt32) {
        guard var whole = stored?.completed(by: response, for: request, bounds: bounds(response)) else {
            store.change(.remove)
            return send(.whole)
        }
        whole.stamp = stamp
        forgetFailure()
        if whole.isStorable(for: request), flight.mayPublish {
            _ = try? store.admit(whole, isStorable: true, replacing: stored)
        } else {
            if whole.isWithdrawn { store.change(.remove) }
            store.change(.separate(until: context.time.wallSeconds + Self.separation))
        }
        var outcome = CacheOutcome(whole, status(of: response), isValidated: true, microseconds)
        outcome.cookies = ownCookies(in: response)
        end(.success(outcome))
    }
}
