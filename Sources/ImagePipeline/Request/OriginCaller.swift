/// What an origin is told of the request for which it is asked: the first of those that share a download.
package struct OriginCaller: Hashable, Sendable {
    /// `traceparent` (W3C Trace Context); `nil` where no caller has said one.
    package var traceparent: String?
    /// `Via`, the way that the request has come (RFC 9110 §7.6.3); `nil` where nobody stands before us.
    package var via: String?

    /// Nobody in particular.
    package static let nobody = OriginCaller()

    /// Describes a request.
    package init(traceparent: String? = nil, via: String? = nil) {
        self.traceparent = traceparent
        self.via = via
    }
}
