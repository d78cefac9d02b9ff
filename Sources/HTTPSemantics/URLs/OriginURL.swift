/// An absolute http or https URL of an origin, parsed strictly and once.
///
/// Every reader gets the parsed parts or a text put together from them, so that all of them mean the same host. The
/// fragment is dropped (RFC 9110 §7.1).
package struct OriginURL: Hashable, Sendable {
    /// The schemes that origins are asked by.
    package enum Scheme: String, Hashable, Sendable {
        case http, https

        /// The port of a URL that names none.
        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// What a host is, before anything is resolved.
    package enum Host: Hashable, Sendable {
        /// A lower-case name for DNS.
        case name(String)
        /// A literal address in any spelling: `127.0.0.1`, `127.1`, `0x7f000001`, `[::1]`.
        case address(IPAddress)
    }

    /// Bytes of `text` at most.
    package static let maximumLength = 8192

    package let scheme: Scheme
    package let host: Host
    /// The host as sent: lower-case, an IPv6 address in brackets, a numeric one in the spelling given.
    package let hostText: String
    /// 1 to 65535; the scheme's own where the URL names none.
    package let port: Int
    /// Path and query as sent, at least `/`.
    package let requestTarget: String
    /// Path and query in normal form.
    let normalTarget: String

    init(scheme: Scheme, host: Host, hostText: String, port: Int, requestTarget: String, normalTarget: String) {
        self.scheme = scheme
        self.host = host
        self.hostText = hostText
        self.port = port
        self.requestTarget = requestTarget
        self.normalTarget = normalTarget
    }

    /// The path as sent; begins with a slash.
    package var path: String { String(requestTarget.prefix { $0 != "?" }) }

    /// What follows the question mark, as sent; `nil` without one.
    package var query: String? {
        requestTarget.firstIndex(of: "?").map { String(requestTarget[requestTarget.index(after: $0)...]) }
    }

    /// Host and, unless it is the scheme's own, port: the `Host` field's value.
    package var authority: String {
        port == scheme.defaultPort ? hostText : "\(hostText):\(port)"
    }

    /// The URL to ask: scheme, host and port in normal form, path and query as given.
    package var text: String { origin + requestTarget }

    /// One text for all spellings that RFC 3986 §6.2.2 and §6.2.3 call equivalent.
    ///
    /// Cache keys and stored records are made from it: it must stay the same in all versions.
    package var normalized: String { origin + normalTarget }

    /// Scheme, host and port (RFC 6454 §6.2).
    package var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// Whether credentials for one may go to the other: same scheme, host and port (RFC 6454 §5).
    package func hasSameOrigin(as other: OriginURL) -> Bool {
        scheme == other.scheme && hostText == other.hostText && port == other.port
    }
}
