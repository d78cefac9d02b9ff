import HTTPSemantics
import ImagePlan

/// An error as clients see it (RFC 9457): a status, and words that never name an internal address, path or key.
struct Problem: Error, Hashable, Sendable {
    var status: UInt16
    /// One sentence for the person who made the request.
    var detail: String
    /// The request's parameter that is wrong, where one is.
    var parameter: String?
    /// Seconds for `Retry-After`.
    var retryAfter: Int?
    /// Methods for `Allow`, with 405.
    var allow: String?
    /// Seconds for which it will be answered again, as for a stored failure; `nil` where the next try may end otherwise.
    var lifetime: Int64?
    /// What the cache had to do with it; `nil` where the request never came to a source.
    var cacheStatus: CacheStatus?

    init(_ status: UInt16, _ detail: String, parameter: String? = nil, retryAfter: Int? = nil, allow: String? = nil) {
        self.status = status
        self.detail = detail
        self.parameter = parameter
        self.retryAfter = retryAfter
        self.allow = allow
    }

    /// The same as the answer to a request whose source is known.
    var ofSource: Problem {
        var problem = self
        problem.cacheStatus = cacheStatus ?? .unasked(.refused)
        return problem
    }

    /// The members as JSON text; `type` is the default "about:blank", so that `title` is the status's phrase (RFC 9457 §4.2.1).
    ///
    /// - Parameter id: of the request, as an extension member (RFC 9457 §3.2).
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

/// Reason phrases of the statuses that are answered (RFC 9110 §15).
enum StatusPhrase {
    static func of(_ status: UInt16) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 508: "Loop Detected"
        default: status < 500 ? "Bad Request" : "Internal Server Error"
        }
    }
}
