import HTTPKit
import HTTPSemantics
import ImagePlan

/// An error response (RFC 9457), whose texts never contain an internal address, path or key.
struct Problem: Error, Hashable, Sendable {
    var status: UInt16
    /// One sentence for the client.
    var detail: String
    /// The invalid request parameter, if any.
    var parameter: String?
    /// The value of `Retry-After` in seconds.
    var retryAfter: Int?
    /// The value of `Allow`, for 405.
    var allow: String?
    /// The lifetime of a cached failure in seconds; `nil` if the next request may succeed.
    var lifetime: Int64?
    /// The `Cache-Status`, or `nil` if the request did not reach a source.
    var cacheStatus: CacheStatus?

    init(_ status: UInt16, _ detail: String, parameter: String? = nil, retryAfter: Int? = nil, allow: String? = nil) {
        self.status = status
        self.detail = detail
        self.parameter = parameter
        self.retryAfter = retryAfter
        self.allow = allow
    }

    /// The queue of blocking work is full.
    static var diskQueueFull: Problem { Problem(503, "Too much work is waiting for the disk.", retryAfter: 1) }
    /// The request lacks the signature that `signing.required` demands.
    static var notSigned: Problem { Problem(403, "The request is not signed (signing.required).", parameter: "sig") }

    /// The same problem for a request whose source is known.
    var ofSource: Problem {
        var problem = self
        problem.cacheStatus = cacheStatus ?? .unasked(.refused)
        return problem
    }

    /// The JSON text; `type` is the default "about:blank", so `title` is the status phrase (RFC 9457 §4.2.1).
    ///
    /// - Parameter id: the request id, an extension member (RFC 9457 §3.2).
    func json(id: String?) -> String {
        var members = [
            "\"title\":\(JSONText.quoted(StatusPhrase.of(status)))",
            "\"status\":\(status)",
            "\"detail\":\(JSONText.quoted(detail))",
        ]
        if let id { members.append("\"id\":\(JSONText.quoted(id))") }
        if let parameter { members.append("\"parameter\":\(JSONText.quoted(parameter))") }
        return "{\(members.joined(separator: ","))}\n"
    }
}

/// Titles of the error statuses.
enum StatusPhrase {
    /// The reason phrase of the status line; of a status without one, that of its class (RFC 9110 §15).
    static func of(_ status: UInt16) -> String {
        let phrase = StatusText.reason(Int(status))
        guard phrase.isEmpty else { return phrase }
        return status < 500 ? "Bad Request" : "Internal Server Error"
    }
}
