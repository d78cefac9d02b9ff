import HTTPKit

extension Problem {
    /// The error for a request that the server refuses before routing.
    init(_ rejection: RequestRejection) {
        switch rejection {
        case .malformed(let error): self.init(rejection.status, Self.sentence(error))
        case .timeout: self.init(408, "The request did not arrive in time (timeouts.header).")
        case .unknownExpectation: self.init(417, "Only the expectation 100-continue is supported.")
        case .tooManyConnections: self.init(503, "Too many connections (limits.connections).", retryAfter: 1)
        case .tooManyConnectionsOfClient:
            self.init(429, "This client has too many open connections (clients.connections).", retryAfter: 1)
        case .abandoned: self.init(500, "Internal error: the request was dropped.")
        }
    }

    /// The error for a method that this server does not know (RFC 9110 §9.1, §15.6.2).
    ///
    /// - Parameter name: the method, a token.
    init(unknownMethod name: String) {
        let meant = HTTPMethod(ignoringCase: name)?.name.map { " Methods are case-sensitive: did you mean \($0)?" }
        self.init(501, "There is no method '\(name)'." + (meant ?? ""))
    }

    private static func sentence(_ error: ParseError) -> String {
        switch error {
        case .requestLineTooLong: "The request line is too long."
        case .headerBlockTooLong: "The header section is too long."
        case .tooManyFields: "There are too many header fields."
        case .malformedProxyHeader: "The connection must begin with a PROXY protocol header."
        case .malformedRequestLine: "The request line is malformed."
        case .invalidMethod: "The method is malformed."
        case .methodTooLong: "The method is unknown."
        case .invalidTarget: "The request target is malformed."
        case .invalidVersion: "The HTTP version is malformed."
        case .unsupportedVersion: "Only HTTP/1.x is supported."
        case .bareLineFeed: "A line does not end in CR LF."
        case .obsoleteFolding: "A header line begins with white space."
        case .invalidFieldName: "A header field's name is malformed."
        case .invalidFieldValue: "A header field's value contains a control character."
        case .missingHost: "The Host field is missing."
        case .invalidHost: "The Host field is malformed or repeated."
        case .invalidContentLength: "The Content-Length is malformed."
        case .invalidTransferEncoding: "The Transfer-Encoding is malformed."
        case .unsupportedTransferCoding: "Only the transfer coding chunked is supported."
        case .conflictingFraming: "Content-Length and Transfer-Encoding cannot be combined."
        case .invalidChunk: "The chunked content is malformed."
        case .bodyTooLong: "The request's content is too long."
        }
    }
}
