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

/// Reason phrases of the error statuses (RFC 9110 §15).
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
        case 421: "Misdirected Request"
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
