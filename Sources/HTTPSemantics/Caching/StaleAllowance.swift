/// For how long a response may be used although it is stale (RFC 5861), in seconds from the end of its freshness.
package struct StaleAllowance: Hashable, Sendable {
    /// While somebody else asks the origin (§3); `nil` where the response does not say, and who runs the cache may.
    package var whileRevalidating: Int64?
    /// When the origin cannot be asked (§4); `nil` as above.
    package var ifError: Int64?

    /// Whether a stored response may be used in place of an answer with this status, as far as the stored one allows.
    ///
    /// In place of every failure but those by which the origin says that there is nothing (404, 410, 451), or that the client may
    /// not have it (401, 403).
    package static func mayReplace(status: Int) -> Bool {
        status >= 400 && ![401, 403].contains(status) && !isGone(status: status)
    }

    /// Whether a status says that what was there before is there no more.
    package static func isGone(status: Int) -> Bool { [404, 410, 451].contains(status) }

    /// States an allowance.
    package init(whileRevalidating: Int64? = nil, ifError: Int64? = nil) {
        self.whileRevalidating = whileRevalidating
        self.ifError = ifError
    }

    /// What a response's directives allow.
    ///
    /// `must-revalidate`, `proxy-revalidate` and `no-cache` forbid any stale use (RFC 9111 §4.2.4). `s-maxage` forbids it for shared
    /// caches (§5.2.2.10) unless the response itself says for how long: then that is what its origin means.
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
