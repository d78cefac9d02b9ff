/// What an origin is told of the request for which it is asked: the first of those that share a download.
package struct OriginCaller: Hashable, Sendable {
    /// `traceparent` (W3C Trace Context); `nil` where the request has none.
    package var traceparent: String?
    /// `Via` of the trusted proxies that the request has passed (RFC 9110 §7.6.3); `nil` for none.
    package var via: String?
    /// `CDN-Loop`, the names of those that the request has passed (RFC 8586); `nil` for none.
    package var cdnLoop: String?

    /// The daemon itself.
    package static let nobody = OriginCaller()

    /// Describes a request that brings nothing.
    package init() {}

    /// Tells requests with different names in `CDN-Loop` apart; empty for those without.
    ///
    /// An origin may refuse a request for these names, as a CDN does that finds its own there. Anybody can write them, so requests
    /// with others share neither that failure nor the flight; what is fetched is everybody's.
    package var keySuffix: String { cdnLoop.map { "\nCDN-Loop \($0)" } ?? "" }
}
