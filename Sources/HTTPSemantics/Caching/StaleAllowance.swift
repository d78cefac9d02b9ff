/// How long a response may be used when stale (RFC 5861), in seconds after the end of its freshness.
package struct StaleAllowance: Hashable, Sendable {
    /// During a revalidation (§3); `nil` if the response does not state it and the cache decides.
    package var whileRevalidating: Int64?
    /// When the origin fails (§4); `nil` as above.
    package var ifError: Int64?

    /// Whether a stored response may replace an error response with this status.
    ///
    /// It may replace every failure except a statement that the resource is gone (404, 410, 451) or not for this client (401, 403).
    package static func mayReplace(status: Int) -> Bool {
        status >= 400 && ![401, 403].contains(status) && !isGone(status: status)
    }

    /// Whether a status means that the resource no longer exists.
    package static func isGone(status: Int) -> Bool { [404, 410, 451].contains(status) }

    /// Creates an allowance.
    package init(whileRevalidating: Int64? = nil, ifError: Int64? = nil) {
        self.whileRevalidating = whileRevalidating
        self.ifError = ifError
    }

    /// Derives the allowance from a response's directives.
    ///
    /// `must-revalidate`, `proxy-revalidate` and `no-cache` forbid any stale use (RFC 9111 §4.2.4). `s-maxage` forbids it for
    /// shared caches (§5.2.2.10), unless the response explicitly allows some.
    package init(_ control: CacheControl) {
        if !control.isStorable || control.mustRevalidate || control.proxyRevalidate || control.requiresValidation {
            self.init(whileRevalidating: 0, ifError: 0)
        } else {
            let unsaid: Int64? = control.sMaxAge == nil ? nil : 0
            self.init(
                whileRevalidating: control.staleWhileRevalidate ?? unsaid,
                ifError: control.staleIfError ?? unsaid
            )
        }
    }
}
