/// A difference between raw and picture sources that is meant; each is a row of the table in `CacheDecisions.md`.
enum DeliberateDifference: String, CaseIterable, Sendable {
    case ttl = "Freshness that the origin does not state"
    case statedLifetime = "`Cache-Control` that the origin does not send"
    case failureStatus = "Status of a failure"
    case failureDocument = "Content of a failure"
    case failureLifetime = "Failures with a stated lifetime"
    case picturesAlone = "Answers that bring no picture"
    case redirects = "Redirects"
    case cookies = "`Set-Cookie`"
    case authorization = "`Authorization`"
    case vary = "`Vary`"
    case requestDirectives = "Directives of the request"
    case conditions = "Conditions of the request"
    case head = "`HEAD`"

    /// What a raw source does, what a picture source does, and why: the cells of the table's row.
    var cells: [String] {
        switch self {
        case .ttl:
            [
                "a tenth of the time since `Last-Modified` (RFC 9111 §4.2.2), else none", "`ttl`",
                "a gallery's origin is often a folder that states nothing",
            ]
        case .statedLifetime:
            [
                "none, as at the origin", "`public`, with the lifetime by `Expires` or `ttl` as `max-age`",
                "`Expires` is not passed on: a picture's fields are its own",
            ]
        case .failureStatus:
            [
                "the origin's", "404 for 401, 403 and 404; 410 for 410; 502 for all others",
                "the failure is between the daemon and its origin, not the client's",
            ]
        case .failureDocument:
            [
                "the origin's fields and content", "a problem document (RFC 9457) with a lifetime of its own",
                "an origin's page is no picture, and may name what clients are not to know",
            ]
        case .failureLifetime:
            [
                "stored as any answer, for the stated time", "by the class of the failure (`negative`)",
                "a picture source never stores a failure's content, and bounds how long it is remembered",
            ]
        case .picturesAlone:
            [
                "passed on, and stored where RFC 9111 allows", "a failure, unless it is a 200 with a picture",
                "only what can be decoded is served",
            ]
        case .redirects:
            [
                "passed on", "followed, `limits.redirects` at most; the chain is as fresh as its least fresh answer",
                "a client asks for a picture and not for its address",
            ]
        case .cookies:
            [
                "passed on; not stored, unless `set-cookie: store`", "dropped, and the picture stored",
                "a picture is the same for every client",
            ]
        case .authorization:
            [
                "forwarded; the answer is stored by RFC 9111 §3.5", "not forwarded, so the answer is for every client",
                "a source has credentials of its own",
            ]
        case .vary:
            [
                "an entry for each value of the named fields", "no effect, but `*`, which is not stored",
                "no field that an origin may name is forwarded",
            ]
        case .requestDirectives:
            [
                "all, as RFC 9111 §5.2.1 has them", "`only-if-cached`; all others with the admin token alone",
                "a browser's reload is not to cost a transform",
            ]
        case .conditions:
            [
                "forwarded where nothing is stored", "evaluated here",
                "a picture's entity tag is the daemon's, which the origin does not know",
            ]
        case .head:
            [
                "forwarded where nothing is stored", "fetched with GET, and stored",
                "the fields describe a picture that must be made first",
            ]
        }
    }
}
