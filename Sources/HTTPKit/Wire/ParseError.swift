/// Why bytes are not a request that this server answers; each case names the rule that was broken.
package enum ParseError: Error, Hashable, Sendable {
    /// No PROXY protocol header, although the peer must send one.
    case malformedProxyHeader
    /// The request line is longer than the limit.
    case requestLineTooLong
    /// The header section is longer than the limit.
    case headerBlockTooLong
    /// There are more fields than the limit.
    case tooManyFields
    /// The request line is not `method SP target SP version` (RFC 9112 §3).
    case malformedRequestLine
    /// The method is no token (RFC 9110 §9.1).
    case invalidMethod
    /// The method is longer than any that is known or passed on (RFC 9112 §3).
    case methodTooLong
    /// The target is none of the four forms, or holds a byte that no target may hold (RFC 9112 §3.2).
    case invalidTarget
    /// The version is not `HTTP/` digit `.` digit (RFC 9112 §2.3).
    case invalidVersion
    /// The version is well-formed, but its major number is not 1.
    case unsupportedVersion
    /// A line ends in LF without CR, or holds a CR elsewhere (RFC 9112 §2.2).
    case bareLineFeed
    /// A line begins with white space: obsolete folding (RFC 9112 §5.2), or space before the first field (§2.2).
    case obsoleteFolding
    /// A field line without a colon, with an invalid name, or with white space before the colon (RFC 9112 §5.1).
    case invalidFieldName
    /// A field value with a control character (RFC 9110 §5.5).
    case invalidFieldValue
    /// HTTP/1.1 without `Host` (RFC 9112 §3.2).
    case missingHost
    /// More than one `Host`, or one that is no authority (RFC 9112 §3.2).
    case invalidHost
    /// A `Content-Length` that is no number, or several that differ (RFC 9112 §6.3).
    case invalidContentLength
    /// `Transfer-Encoding` that is repeated, does not end in chunked, or came with HTTP/1.0 (RFC 9112 §6.1, §6.3).
    case invalidTransferEncoding
    /// A transfer coding other than chunked (RFC 9112 §6.1).
    case unsupportedTransferCoding
    /// `Content-Length` beside `Transfer-Encoding`: an attempt at smuggling (RFC 9112 §6.1).
    case conflictingFraming
    /// A chunk size line, chunk end or trailer section that breaks RFC 9112 §7.1.
    case invalidChunk
    /// The content is longer than the limit.
    case bodyTooLong

    /// The status code that tells the client.
    package var status: UInt16 {
        switch self {
        case .requestLineTooLong: 414
        case .headerBlockTooLong, .tooManyFields: 431
        case .unsupportedVersion: 505
        case .methodTooLong, .unsupportedTransferCoding: 501
        case .bodyTooLong: 413
        default: 400
        }
    }
}
