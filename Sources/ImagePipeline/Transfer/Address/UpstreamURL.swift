/// An absolute http or https URL of an origin, parsed strictly and once.
///
/// What is handed to libcurl is `text`, put together from the parsed parts, so that both mean the same host. A fragment is
/// dropped (RFC 9110 §7.1); the path and the query stay as they came.
package struct UpstreamURL: Hashable, Sendable {
    /// The two schemes that are asked.
    package enum Scheme: String, Hashable, Sendable {
        case http, https

        /// The port where the URL names none.
        package var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// What a host is, before anything is resolved.
    package enum Host: Hashable, Sendable {
        /// A lower-case name for DNS.
        case name(String)
        /// A literal, whatever its spelling was.
        case address(IPAddress)
    }

    /// Why a text is no URL that may be asked; the raw value is the rule's name for people.
    package enum Defect: String, Error, Hashable, Sendable, CaseIterable {
        /// Not an absolute URL, over 8,192 bytes, or with characters that a URL must not have (RFC 3986 §2).
        case syntax
        /// Neither http nor https.
        case scheme
        /// `user:password@`, never taken from a URL (RFC 9110 §4.2.4), or an `@` in the fragment.
        case userinfo
        /// Empty, percent-encoded, non-ASCII (write punycode), with a zone, a number that is no address, or an IPv4 address with a dot
        /// at its end.
        case host
        /// Not 1 to 65535.
        case port
    }

    package let scheme: Scheme
    package let host: Host
    /// The host as sent, lower-case, IPv6 in brackets.
    package let hostText: String
    package let port: Int
    /// Begins with a slash.
    package let path: String
    /// What follows the question mark, raw; `nil` without one.
    package let query: String?

    init(scheme: Scheme, host: Host, hostText: String, port: Int, path: String, query: String?) {
        self.scheme = scheme
        self.host = host
        self.hostText = hostText
        self.port = port
        self.path = path
        self.query = query
    }

    /// Host and, unless it is the scheme's own, port: the `Host` field's value.
    package var authority: String {
        port == scheme.defaultPort ? hostText : "\(hostText):\(port)"
    }

    /// The whole URL, normalised in scheme, host and port only.
    package var text: String {
        let base = "\(scheme.rawValue)://\(authority)\(path)"
        return query.map { "\(base)?\($0)" } ?? base
    }

    /// Whether credentials for one may go to the other: same scheme, host and port (RFC 6454 §5).
    package func hasSameOrigin(as other: UpstreamURL) -> Bool {
        scheme == other.scheme && hostText == other.hostText && port == other.port
    }
}
