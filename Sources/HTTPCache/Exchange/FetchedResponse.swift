package import HTTPSemantics
package import LinuxSystem

/// A response of an origin, as received; its content may still be arriving.
package struct FetchedResponse: Sendable {
    /// The content of the message.
    package enum Content: Sendable {
        /// No content was received, or none was kept.
        case none
        case bytes([UInt8])
        /// Content in a sealed memory file, or in a file of a `file:` source.
        case file(OriginBody)
        /// Content that is still arriving.
        case growing(GrowingFile)

        /// The maximum bytes of complete content that are kept in memory rather than in a file.
        private static var shortLength: Int { 1 << 20 }

        /// Reads the content into memory if it is complete and short.
        mutating func readShort() {
            guard case .file(let body) = self, body.length <= Self.shortLength,
                let bytes = body.file.read(count: body.length)
            else { return }
            self = .bytes(bytes)
        }
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

    /// The content in its stored form.
    var storedContent: StoredResponse.Content {
        switch content {
        case .none: .bytes([])
        case .bytes(let bytes): .bytes(bytes)
        case .file(let body): .file(body)
        case .growing(let file): .growing(file)
        }
    }

    /// Whether a stale response may replace it (RFC 5861 §4).
    package var allowsStale: Bool { StaleAllowance.mayReplace(status: status) }
    /// Whether the origin denied the client access (401 or 403).
    package var isDenial: Bool { [401, 403].contains(status) }
}
