/// The trace context and intermediaries that an origin receives, from the first request that shares a download.
package struct OriginCaller: Hashable, Sendable {
    /// The value of `traceparent` (W3C Trace Context); `nil` if the request has none.
    package var traceparent: String?
    /// The value of `Via` from trusted proxies (RFC 9110 §7.6.3); `nil` for none.
    package var via: String?
    /// The value of `CDN-Loop`, the names of CDNs that forwarded the request (RFC 8586); `nil` for none.
    package var cdnLoop: String?

    /// The daemon itself.
    package static let nobody = OriginCaller()

    /// Creates an empty caller.
    package init() {}

    /// Separates the flights and failures of requests by their `CDN-Loop`; empty without one.
    ///
    /// A CDN refuses requests that name it in `CDN-Loop`, and any client can set the field. Requests with different values therefore
    /// share neither failures nor flights; a fetched original is shared by all.
    package var keySuffix: String { cdnLoop.map { "\nCDN-Loop \($0)" } ?? "" }
}
