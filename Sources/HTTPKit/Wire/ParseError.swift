/// The rule that a malformed request violates.
package enum ParseError: Error, Hashable, Sendable {
    /// A required PROXY protocol header is missing or malformed.
    case malformedProxyHeader
    /// The request line is longer than the limit.
    case requestLineTooLong
    /// The header section is longer than the limit.
    case headerBlockTooLong
    /// There are more fields than the limit.
    case tooManyFields
    /// The request line is not `method SP target SP version` (RFC 9112 §3).
    case malformedRequestLine
    /// The method is not a token (RFC 9110 §9.1).
    case invalidMethod
    /// The method is longer than any known or forwarded one (RFC 9112 §3).
    case methodTooLong
    /// The target has none of the four forms, or contains an invalid byte (RFC 9112 §3.2).
    case invalidTarget
    /// The version is not `HTTP/` digit `.` digit (RFC 9112 §2.3).
    case invalidVersion
    /// The version is well-formed, but its major number is not 1.
    case unsupportedVersion
    /// A line ends in LF without CR, or contains a CR elsewhere (RFC 9112 §2.2).
    case bareLineFeed
    /// A line starts with white space: obsolete line folding (RFC 9112 §5.2), or a space before the first field (§2.2).
    case obsoleteFolding
    /// A field line without a colon, with an invalid name, or with white space before the colon (RFC 9112 §5.1).
    case invalidFieldName
    /// A field value with a control character (RFC 9110 §5.5).
    case invalidFieldValue
    /// HTTP/1.1 without `Host` (RFC 9112 §3.2).
    case missingHost
    /// More than one `Host`, or one that is not an authority (RFC 9112 §3.2).
    case invalidHost
    /// A `Content-Length` that is not a number, or several that differ (RFC 9112 §6.3).
    case invalidContentLength
    /// A `Transfer-Encoding` that is repeated, does not end in chunked, or comes with HTTP/1.0 (RFC 9112 §6.1, §6.3).
    case invalidTransferEncoding
    /// A transfer coding other than chunked (RFC 9112 §6.1).
    case unsupportedTransferCoding
    /// Both `Content-Length` and `Transfer-Encoding`, a sign of request smuggling (RFC 9112 §6.1).
    case conflictingFraming
    /// A chunk size line, chunk end or trailer section that violates RFC 9112 §7.1.
    case invalidChunk
    /// The content is longer than the limit.
    case bodyTooLong

    /// The status code of the response.
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
