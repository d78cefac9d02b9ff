/// An absolute http or https URL of an origin, parsed strictly and once.
///
/// Every reader gets the parsed parts or a text put together from them, so that all of them mean the same host. The
/// fragment is dropped (RFC 9110 §7.1).
package struct OriginURL: Hashable, Sendable {
    /// The schemes of origins.
    package enum Scheme: String, Hashable, Sendable {
        case http, https

        /// The default port.
        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The kind of a host, before name resolution.
    package enum Host: Hashable, Sendable {
        /// A lower-case name for DNS.
        case name(String)
        /// A literal address in any spelling: `127.0.0.1`, `127.1`, `0x7f000001`, `[::1]`.
        case address(IPAddress)
    }

    /// The maximum length of `text` in bytes.
    package static let maximumLength = 8192

    package let scheme: Scheme
    package let host: Host
    /// The host as sent: in lower case, an IPv6 address in brackets, a numeric one as spelled in the input.
    package let hostText: String
    /// 1 to 65535; the scheme's default if the URL has none.
    package let port: Int
    /// Path and query as sent, at least `/`: in normal form, unless the URL is parsed as given or is that of a redirect.
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

    /// The path as sent, beginning with a slash.
    package var path: String { String(requestTarget.prefix { $0 != "?" }) }

    /// The query as sent, without the question mark; `nil` if there is none.
    package var query: String? {
        requestTarget.firstIndex(of: "?").map { String(requestTarget[requestTarget.index(after: $0)...]) }
    }

    /// The value of `Host`: the host, and the port unless it is the scheme's default.
    package var authority: String {
        port == scheme.defaultPort ? hostText : "\(hostText):\(port)"
    }

    /// The URL to request.
    package var text: String { origin + requestTarget }

    /// The normal form: the same text for all spellings that are equivalent under RFC 3986 §6.2.2 and §6.2.3.
    ///
    /// Cache keys and stored records contain it, so it must not change between releases.
    package var normalized: String { origin + normalTarget }

    /// Scheme, host and port (RFC 6454 §6.2).
    package var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// Whether both have the same scheme, host and port, so that credentials for one may be sent to the other (RFC 6454 §5).
    package func hasSameOrigin(as other: OriginURL) -> Bool {
        scheme == other.scheme && hostText == other.hostText && port == other.port
    }
}
