package import HTTPSemantics

/// A complete response of an origin, as it arrived.
package struct FetchedResponse: Sendable {
    /// The content of the message.
    package enum Content: Sendable {
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
    func policy(for request: CacheRequest, _ bounds: ResponsePolicy.Bounds = ResponsePolicy.Bounds()) -> ResponsePolicy {
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
    var allowsStale: Bool { StaleAllowance.mayReplace(status: status) }
    /// Whether the origin denies the client access.
    var isDenial: Bool { [401, 403].contains(status) }
}

extension FetchedResponse {
    /// A response as the loader delivers it.
    init(_ response: OriginResponse) {
        switch response {
        case .exchanged(let exchange):
            self.init(
                status: exchange.status,
                fields: exchange.fields,
                content: .bytes(exchange.body),
                requestTime: exchange.requestTime,
                responseTime: exchange.responseTime
            )
        case .notModified(let fields): self.init(304, fields, .bytes([]))
        case .refused(let status, let fields): self.init(status, fields, .bytes([]))
        case .fetched(let fields, let body): self.init(200, fields, .file(body))
        }
    }

    private init(_ status: Int, _ fields: OriginFields, _ content: Content) {
        var lines = FieldLines()
        func append(_ name: String, _ value: String?) { if let value { lines.append(name, value) } }
        if let clients = fields.clientCacheControl {
            append("CDN-Cache-Control", fields.cacheControl)
            if !clients.isEmpty { append("Cache-Control", clients) }
        } else {
            append("Cache-Control", fields.cacheControl)
        }
        append("Expires", fields.expires)
        append("Date", fields.date)
        append("Age", fields.age)
        append("ETag", fields.entityTag)
        append("Last-Modified", fields.lastModified)
        append("Content-Type", fields.contentType)
        append("Vary", fields.vary)
        append("Retry-After", fields.retryAfter)
        append("Cache-Tag", fields.tags)
        self.init(
            status: status,
            fields: lines,
            content: content,
            requestTime: fields.requestTime,
            responseTime: fields.responseTime
        )
        grantedLifetime = fields.vouchedLifetime
    }
}
