import HTTPKit

extension Problem {
    /// What a client is told whose request the server refuses before any route sees it.
    init(_ rejection: RequestRejection) {
        switch rejection {
        case .malformed(let error): self.init(rejection.status, Self.sentence(error))
        case .timeout: self.init(408, "The request did not arrive in time (timeouts.header).")
        case .unknownExpectation: self.init(417, "Only the expectation 100-continue is known.")
        case .tooManyConnections: self.init(503, "Too many connections (limits.connections).", retryAfter: 1)
        case .abandoned: self.init(500, "The request got lost.")
        }
    }

    private static func sentence(_ error: ParseError) -> String {
        switch error {
        case .requestLineTooLong: "The request line is too long."
        case .headerBlockTooLong: "The header fields are too long together."
        case .tooManyFields: "There are too many header fields."
        case .malformedProxyHeader: "The connection does not begin with a PROXY protocol header."
        case .malformedRequestLine: "The request line is malformed."
        case .invalidMethod: "The method is malformed."
        case .methodTooLong: "The method is longer than any that is known here."
        case .invalidTarget: "The request target is malformed."
        case .invalidVersion: "The HTTP version is malformed."
        case .unsupportedVersion: "Only HTTP/1.x is spoken here."
        case .bareLineFeed: "A line does not end in CR LF."
        case .obsoleteFolding: "A header line begins with white space."
        case .invalidFieldName: "A header field's name is malformed."
        case .invalidFieldValue: "A header field's value holds a control character."
        case .missingHost: "The Host field is missing."
        case .invalidHost: "The Host field is malformed or repeated."
        case .invalidContentLength: "The Content-Length is malformed."
        case .invalidTransferEncoding: "The Transfer-Encoding is malformed."
        case .unsupportedTransferCoding: "Only the transfer coding chunked is known."
        case .conflictingFraming: "Content-Length and Transfer-Encoding exclude each other."
        case .invalidChunk: "The chunked content is malformed."
        case .bodyTooLong: "The request's content is too long."
        }
    }
}
