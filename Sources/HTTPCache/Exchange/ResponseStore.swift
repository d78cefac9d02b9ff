/// The responses stored for one exchange's request.
///
/// A store makes each change within `Flight.publish`, so that it either completes before a purge or does not happen.
package protocol ResponseStore<Failure>: Sendable {
    /// The error for a response with unusable content.
    associatedtype Failure: CacheFailure

    /// Whether changes block on the disk and must run on the read lane.
    var blocks: Bool { get }

    /// Checks a complete response, and stores it if allowed.
    ///
    /// - Parameters:
    ///   - isStorable: whether it may be stored; otherwise only the waiting requests receive it.
    ///   - stored: the response that it replaces.
    /// - Returns: the response to serve.
    /// - Throws: if its content is unusable.
    func admit(
        _ response: StoredResponse,
        isStorable: Bool,
        replacing stored: StoredResponse?
    ) throws(Failure) -> StoredResponse

    /// Updates a stored response after a successful validation (RFC 9111 §4.3.4).
    ///
    /// - Parameters:
    ///   - response: the response with its new fields; its `policy` decides whether it may still be stored.
    ///   - stored: the response before the validation.
    ///   - changesFreshness: false if the response was stale and still is, so that nothing needs to be written.
    /// - Returns: the response to serve.
    func renew(_ response: StoredResponse, from stored: StoredResponse, changesFreshness: Bool) -> StoredResponse

    /// Applies a change to the stored responses that match the request.
    func change(_ change: ResponseChange)

    /// The exchange has ended, with a failure or, after `admit` or `renew`, with a response; may be called more than once.
    func ended(_ failure: Failure?)
}

extension ResponseStore {
    /// Does nothing.
    package func ended(_ failure: Failure?) {}
}

/// A change of the stored responses that match a request.
package enum ResponseChange: Sendable {
    /// Makes them stale.
    case expire
    /// Forbids stale use without validation, after the origin denied access.
    case requireValidation
    /// Removes them; the response that replaces them is not storable.
    case remove
    /// Removes them because the origin no longer has the resource (404, 410, 451).
    case removeGone
    /// Stops collapsing requests until this wall-clock second, because the last response could not be shared.
    case separate(until: Int64)
    /// Forwards ranges until this wall-clock second, because the whole response is too large to be fetched for a range.
    case keepParts(until: Int64)
    /// Updates the stored response to GET from a response to HEAD (RFC 9111 §4.3.5).
    case update(FetchedResponse)
    /// Invalidates them, and the URLs that the response names, after an unsafe request (RFC 9111 §4.4).
    case invalidate(FetchedResponse)
}
