/// Where an exchange keeps responses for its request's key, and changes those that are stored.
///
/// A store makes each change within `Flight.publish`, so that it happens wholly before a purge, or not at all.
package protocol ResponseStore<Failure>: Sendable {
    /// Why a response is of no use.
    associatedtype Failure: CacheFailure

    /// Whether changes block on a disk, so that they belong on the read lane.
    var blocks: Bool { get }

    /// Admits a complete response, and keeps it if that is allowed.
    ///
    /// - Parameters:
    ///   - isStorable: whether it may be kept; else it is for those alone who wait for it.
    ///   - stored: what it replaces.
    /// - Returns: the response as it is used from now on.
    /// - Throws: why its content is of no use.
    func admit(
        _ response: StoredResponse,
        isStorable: Bool,
        replacing stored: StoredResponse?
    ) throws(Failure) -> StoredResponse

    /// Takes a stored response as the origin has confirmed it (RFC 9111 §4.3.4).
    ///
    /// - Parameters:
    ///   - response: the response with its new fields; `policy` says whether it may still be kept.
    ///   - stored: the response as it was.
    ///   - changesFreshness: false where it was stale before and is now, so that it need not be written.
    func renew(_ response: StoredResponse, from stored: StoredResponse, changesFreshness: Bool) -> StoredResponse

    /// Changes those stored responses that match the request.
    func change(_ change: ResponseChange)
}

/// A change of the stored responses that match a request.
package enum ResponseChange: Sendable {
    /// They are no longer fresh.
    case expire
    /// The origin denies them to the client: none is served stale without validation.
    case requireValidation
    /// They are replaced by a response that may not be stored.
    case remove
    /// The origin says that there is nothing any more (404, 410, 451).
    case removeGone
    /// The last response could not be shared: until this second, requests do not wait for each other.
    case separate(until: Int64)
    /// The whole is too large to be fetched for a part: until this second, only the part is asked for.
    case keepParts(until: Int64)
    /// A response to HEAD tells of the stored response to GET (RFC 9111 §4.3.5).
    case update(FetchedResponse)
    /// An unsafe request has changed them, and what else its response names (RFC 9111 §4.4).
    case invalidate(FetchedResponse)
}
