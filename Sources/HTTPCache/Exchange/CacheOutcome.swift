package import HTTPSemantics

/// The result of a request to the cache.
package struct CacheOutcome: Sendable {
    package enum Answer: Sendable {
        /// A shareable response; ranges and conditions can be evaluated against it.
        case stored(StoredResponse)
        /// The origin's response to this request only, unchanged.
        case passed(FetchedResponse)
    }

    package var answer: Answer
    package var status: CacheStatus
    /// Whether the origin has just sent or validated the response, so that fields named by `no-cache` may be sent.
    var isValidated = false
    /// Whether the stored response replaces a failure that is due to this server's own load (RFC 5861 §4).
    package var isOverload = false
    /// `Set-Cookie` lines of a 304; they belong to the requesting client only.
    var cookies: [FieldLine] = []
    /// Microseconds spent on the request to the origin; 0 without one.
    package var fetchMicroseconds: UInt32 = 0
    /// The response as received, for the request that caused it, if the origin has applied that request's conditions and range.
    var received: FetchedResponse?
    /// The phases of that request.
    package var phases = FetchPhases()

    package init(_ stored: StoredResponse, _ status: CacheStatus, isValidated: Bool = false, _ microseconds: UInt32 = 0)
    {
        answer = .stored(stored)
        self.status = status
        self.isValidated = isValidated
        fetchMicroseconds = microseconds
    }

    init(passing response: FetchedResponse, _ status: CacheStatus, _ microseconds: UInt32) {
        answer = .passed(response)
        self.status = status
        fetchMicroseconds = microseconds
    }
}
