package import HTTPSemantics

/// A complete response of an origin, as it arrived.
package struct FetchedResponse: Sendable {
    /// The content of the message.
    package enum Content: Sendable {
        /// None arrived, or none is kept.
        case none
        case bytes([UInt8])
        /// Content in a sealed memory file, or in a file of a `file:` source.
        case file(OriginBody)
    }

    package var status: Int
    /// All field lines of the final response, in order.
    package var fields: FieldLines
    package var content: Content
    /// Wall-clock seconds when the request was sent and when the response's head arrived (RFC 9111 §4.2.3).
    package var requestTime: Int64
    package var responseTime: Int64
    /// Seconds of freshness that the loader itself grants, whatever the fields say; `nil` for HTTP responses.
    package var grantedLifetime: Int64?

    /// Describes a response.
    package init(status: Int, fields: FieldLines, content: Content, requestTime: Int64, responseTime: Int64) {
        self.status = status
        self.fields = fields
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// What it allows a shared cache to do, as the response to a request.
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

    /// Whether a stored response may be used in its place (RFC 5861 §4).
    package var allowsStale: Bool { StaleAllowance.mayReplace(status: status) }
    /// Whether the origin denies the client access.
    package var isDenial: Bool { [401, 403].contains(status) }
}
