/// A difference between raw and picture sources that is meant; each is a row of the table in `CacheDecisions.md`.
enum DeliberateDifference: String, CaseIterable, Sendable {
    case ttl = "Freshness that the origin does not state"
    case statedLifetime = "`Cache-Control` that the origin does not send"
    case age = "`Age` of a first answer"
    case failureStatus = "Status of a failure"
    case failureDocument = "Content of a failure"
    case failureLifetime = "`404`, `410`, and failures with a stated lifetime"
    case firstRetryAfter = "`Retry-After` of a first failure"
    case staleAtOnce = "Responses that are stale at once"
    case voidInMemory = "Variants of what is stored no longer"
    case picturesAlone = "Answers that bring no picture"
    case redirects = "Redirects"
    case cookies = "`Set-Cookie`"
    case authorization = "`Authorization`"
    case vary = "`Vary`"
    case requestDirectives = "Directives of the request"
    case conditions = "Conditions of the request"
    case fields = "Fields of the origin"
    case head = "`HEAD`"
    case methods = "Methods"

    /// Why it is meant.
    var reason: String {
        switch self {
        case .ttl: "a folder of pictures often states nothing"
        case .statedLifetime: "`Expires` is not passed on, and clients are to know the lifetime"
        case .age: "a picture is made here, of an original of that age"
        case .failureStatus: "the failure is between the daemon and its origin"
        case .failureDocument: "an origin's page is no picture, and may tell what clients are not to know"
        case .failureLifetime: "a failure's content is never stored, and its time is bounded"
        case .firstRetryAfter: "a problem document states the daemon's own pause, from the next request on"
        case .staleAtOnce: "without a validator they are of no use, but the same bytes keep their variants"
        case .voidInMemory: "they are removed when they are next looked up"
        case .picturesAlone: "only what can be decoded is served"
        case .redirects: "a client asks for a picture and not for its address"
        case .cookies: "a picture is the same for every client"
        case .authorization: "a source has credentials of its own"
        case .vary: "no field that an origin may name is forwarded"
        case .requestDirectives: "a browser's reload is not to cost a transform"
        case .conditions: "a picture's entity tag is the daemon's, which the origin does not know"
        case .fields: "a picture's fields describe what was made here"
        case .head: "the fields describe a picture that must be made first"
        case .methods: "a picture is only read"
        }
    }
}
