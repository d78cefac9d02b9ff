package import HTTPSemantics

extension OriginCaller {
    /// A suffix for the keys of flights and failures, which separates requests by their `CDN-Loop`; empty without one.
    ///
    /// A CDN refuses requests that name it in `CDN-Loop`, and any client can set the field. Requests with different values
    /// therefore share neither failures nor flights. All requests share the fetched original.
    package var keySuffix: String { cdnLoop.map { "\nCDN-Loop \($0)" } ?? "" }
}
