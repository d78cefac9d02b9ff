/// The trace context and intermediaries that an origin receives: those of the first request that shares the download.
package struct OriginCaller: Hashable, Sendable {
    /// The value of `traceparent` (W3C Trace Context); `nil` if the request has none.
    package var traceparent: String?
    /// The value of `tracestate` from trusted proxies, which accompanies `traceparent`; `nil` if there is none.
    package var tracestate: String?
    /// The value of `Via` from trusted proxies (RFC 9110 §7.6.3); `nil` if there is none.
    package var via: String?
    /// The value of `CDN-Loop`, which names the CDNs that forwarded the request (RFC 8586); `nil` if there is none.
    package var cdnLoop: String?
    /// The path and query with the parameters that are sent and not part of the cache key (`unkeyed-query`); `nil` without any.
    package var unkeyed: String?

    /// The daemon itself.
    package static let nobody = OriginCaller()

    /// Creates a caller.
    package init(traceparent: String? = nil, via: String? = nil, cdnLoop: String? = nil) {
        self.traceparent = traceparent
        self.via = via
        self.cdnLoop = cdnLoop
    }
}
