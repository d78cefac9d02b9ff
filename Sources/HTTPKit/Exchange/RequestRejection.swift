/// The reason the server responds without, or instead of, the handler.
package enum RequestRejection: Hashable, Sendable {
    /// The bytes are not a valid request.
    case malformed(ParseError)
    /// The request did not arrive in time (RFC 9110 §15.5.9).
    case timeout
    /// An `Expect` other than 100-continue (RFC 9110 §10.1.1).
    case unknownExpectation
    /// The limit on connections is reached.
    case tooManyConnections
    /// The limit on connections of one client is reached.
    case tooManyConnectionsOfClient
    /// The handler dropped its promise without completing it.
    case abandoned

    /// The status code of the response.
    package var status: UInt16 {
        switch self {
        case .malformed(let error): error.status
        case .timeout: 408
        case .unknownExpectation: 417
        case .tooManyConnections: 503
        case .tooManyConnectionsOfClient: 429
        case .abandoned: 500
        }
    }
}
