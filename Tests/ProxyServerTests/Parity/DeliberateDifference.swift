/// A deliberate difference between raw and image sources; each is a row of the table in `CacheDecisions.md`.
enum DeliberateDifference: String, CaseIterable, Sendable {
    case ttl = "Freshness not stated by the origin"
    case statedLifetime = "`Cache-Control` not sent by the origin"
    case age = "`Age` of a first response"
    case failureStatus = "Status of a failure"
    case failureDocument = "Content of a failure"
    case failureLifetime = "`404`, `410`, and failures with a stated lifetime"
    case firstRetryAfter = "`Retry-After` of a first failure"
    case staleAtOnce = "Responses that are stale on arrival"
    case voidInMemory = "Variants of a removed response"
    case picturesAlone = "Responses without an image"
    case redirects = "Redirects"
    case cookies = "`Set-Cookie`"
    case authorization = "`Authorization`"
    case vary = "`Vary`"
    case requestDirectives = "Request directives"
    case conditions = "Request conditions"
    case fields = "Origin fields"
    case head = "`HEAD`"
    case methods = "Methods"

    /// The reason.
    var reason: String {
        switch self {
        case .ttl: "image servers often state no freshness"
        case .statedLifetime: "`Expires` is not forwarded, and clients need the lifetime"
        case .age: "the image is made here, from an original of that age"
        case .failureStatus: "the failure concerns the server and its origin, not the client"
        case .failureDocument: "an origin's error page is not an image, and may reveal internal details"
        case .failureLifetime: "a failure's content is never stored, and its time is bounded"
        case .firstRetryAfter: "a problem document states the server's own back-off, from the next request on"
        case .staleAtOnce: "a raw response without a validator could not be reused; unchanged bytes keep their variants"
        case .voidInMemory: "they are removed on their next lookup"
        case .picturesAlone: "only images are served"
        case .redirects: "a client requests an image, not its location"
        case .cookies: "an image is the same for every client"
        case .authorization: "an image source has its own credentials"
        case .vary: "the client fields that it names are not forwarded"
        case .requestDirectives: "a browser's reload must not cost a transform"
        case .conditions: "an image's entity tag is computed here, and the origin does not know it"
        case .fields: "an image's fields describe the result made here"
        case .head: "the fields describe an image that must be made first"
        case .methods: "an image is read-only"
        }
    }
}
