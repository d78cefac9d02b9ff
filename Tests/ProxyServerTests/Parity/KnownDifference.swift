/// A difference between raw and picture sources that nobody meant.
///
/// Each is a known issue of `OriginAnswerParityTests`, and goes away with its cause.
enum KnownDifference: String, Sendable {
    case noNegativeCache = "a raw source remembers no failure and asks each time"
    case firstRetryAfter = "a picture source's first failure lacks the Retry-After that the origin stated"
    case staleAtOnce = "a raw source does not keep what is stale at once and has no validator; a picture source does"
    case privateField = "a picture source does not store private=\"etag\"; a raw source stores all but the field"
    case rangeOfFetched = "a raw source answers a Range with the whole that it has just fetched"
    case expiresRenewed = "a 304 that states no time renews what Expires made fresh, at a picture source alone"
    case forbiddenOnDisk = "a raw source leaves on disk what a 304 calls no-store"
    case voidInMemory = "a picture source leaves in memory what it may no longer serve"
    case otherTag = "a raw source asks again after a 304 with another entity tag; a picture source takes it as a match"
    case unaskedNotModified = "a raw source passes on a 304 that nobody asked for; a picture source answers 502"
    case dateAsModified =
        "a picture source does not compare If-Modified-Since with Date where there is no Last-Modified"
    case forwardedStatus =
        "a raw source always states fwd-status; a picture source omits it where it is the answer's status"
}
