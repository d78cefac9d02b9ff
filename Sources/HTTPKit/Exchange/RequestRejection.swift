/// Why the server answers a request itself, or instead of the handler.
package enum RequestRejection: Hashable, Sendable {
    /// The bytes are not a request that the server takes.
    case malformed(ParseError)
    /// The request did not arrive in time (RFC 9110 §15.5.9).
    case timeout
    /// An `Expect` other than 100-continue (RFC 9110 §10.1.1).
    case unknownExpectation
    /// More connections than configured.
    case tooManyConnections
    /// The handler promised an answer and dropped the promise.
    case abandoned

    /// The status code that tells the client.
    package var status: UInt16 {
        switch self {
        case .malformed(let error): error.status
        case .timeout: 408
        case .unknownExpectation: 417
        case .tooManyConnections: 503
        case .abandoned: 500
        }
    }
}
