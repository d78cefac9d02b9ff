/// Preencoded status lines (RFC 9112 §4, RFC 9110 §15).
package struct StatusText: Sendable {
    private let lines: [[UInt8]]

    init() {
        lines = (0..<600).map { code in
            guard code >= 100 else { return [] }
            return Array("HTTP/1.1 \(code) \(Self.reason(code))\r\n".utf8)
        }
    }

    /// Appends the line for a code from 100 to 599; any other code is a programming error and sent as 500.
    @inline(__always)
    func append(_ status: UInt16, to buffer: inout [UInt8]) {
        ResponseEncoder.append(lines[(100..<600).contains(status) ? Int(status) : 500], to: &buffer)
    }

    /// The reason phrase of a status code; empty if it is unknown.
    package static func reason(_ code: Int) -> String {
        switch code {
        case 100: "Continue"
        case 102: "Processing"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        default: code < 500 ? clientError(code) : serverError(code)
        }
    }

    private static func clientError(_ code: Int) -> String {
        switch code {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        default: ""
        }
    }

    private static func serverError(_ code: Int) -> String {
        switch code {
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        case 508: "Loop Detected"
        case 511: "Network Authentication Required"
        default: ""
        }
    }
}
