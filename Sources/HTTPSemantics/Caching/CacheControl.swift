/// The directives of a `Cache-Control` field (RFC 9111 §5.2, RFC 5861, RFC 8246), of a request or a response.
///
/// Unknown directives are ignored. Durations are seconds from 0 to 2^31; an invalid one is 0.
package struct CacheControl: Hashable, Sendable {
    /// A directive that may be qualified with field names.
    package enum Qualified: Hashable, Sendable {
        /// Absent.
        case absent
        /// Applies to the whole response.
        case whole
        /// Applies to these fields only; names in lower case.
        case fields([String])

        /// Whether the directive is present in either form.
        package var isPresent: Bool { self != .absent }
    }

    /// `max-age`.
    package var maxAge: Int64?
    /// `s-maxage`, for shared caches.
    package var sMaxAge: Int64?
    /// `no-store`.
    package var noStore = false
    /// `no-cache`, with the field names if qualified.
    package var noCache = Qualified.absent
    /// `private`, with the field names if qualified.
    package var `private` = Qualified.absent
    /// `public`.
    package var `public` = false
    /// `must-revalidate`.
    package var mustRevalidate = false
    /// `proxy-revalidate`.
    package var proxyRevalidate = false
    /// `must-understand`.
    package var mustUnderstand = false
    /// `no-transform`.
    package var noTransform = false
    /// `immutable` (RFC 8246).
    package var immutable = false
    /// `stale-while-revalidate` (RFC 5861 §3).
    package var staleWhileRevalidate: Int64?
    /// `stale-if-error` (RFC 5861 §4).
    package var staleIfError: Int64?
    /// `only-if-cached`, in requests.
    package var onlyIfCached = false
    /// `min-fresh`, in requests.
    package var minFresh: Int64?
    /// `max-stale`, in requests; `Int64.max` without an argument.
    package var maxStale: Int64?

    /// `retry-failed`, in requests: an extension (RFC 9111 §5.2.3) that ignores remembered failures.
    package var retryFailed = false
    /// `wait-store`, in requests: an extension that delays the response until it is stored on disk.
    package var waitStore = false

    /// Creates an empty set of directives.
    package init() {}

    /// The largest duration; longer ones are clamped to it (RFC 9111 §1.2.2).
    package static let ceiling: Int64 = 1 << 31
}
