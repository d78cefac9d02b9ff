package import HTTPSemantics

/// A complete response of an origin, as received.
package struct FetchedResponse: Sendable {
    /// The content of the message.
    package enum Content: Sendable {
        /// No content was received, or none was kept.
        case none
        case bytes([UInt8])
        /// Content in a sealed memory file, or in a file of a `file:` source.
        case file(OriginBody)
    }

    package var status: Int
    /// All field lines of the final response, in order.
    package var fields: FieldLines
    package var content: Content
    /// Wall-clock seconds at which the request was sent, and the response's head received (RFC 9111 §4.2.3).
    package var requestTime: Int64
    package var responseTime: Int64
    /// A lifetime in seconds set by the loader, which overrides the fields; `nil` for HTTP responses.
    package var grantedLifetime: Int64?
    /// The phases of the request.
    package var phases = FetchPhases()

    /// Creates a response.
    package init(status: Int, fields: FieldLines, content: Content, requestTime: Int64, responseTime: Int64) {
        self.status = status
        self.fields = fields
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Returns what the response to a request allows a shared cache to do.
    package func policy(
        for request: CacheRequest<some CacheOrigin>,
        _ bounds: ResponsePolicy.Bounds = ResponsePolicy.Bounds()
    ) -> ResponsePolicy {
        ResponsePolicy(
            request.policy,
            status: status,
            fields: fields,
            requestTime: requestTime,
            responseTime: responseTime,
            bounds: bounds
        )
    }

    /// Whether a stale response may replace it (RFC 5861 §4).
    package var allowsStale: Bool { StaleAllowance.mayReplace(status: status) }
    /// Whether the origin denied the client access (401 or 403).
    package var isDenial: Bool { [401, 403].contains(status) }
}
