package import LinuxSystem

/// How a source's connections are secured.
///
/// Applies to the source's own origin; hosts that it redirects to are verified with the system's certificates.
package struct TransferTLS: Hashable, Sendable {
    /// A file of trusted certificates (PEM) that replaces the system's.
    package var authority: String?
    /// A file with the client's certificate and its chain (PEM).
    package var certificate: String?
    /// A file with the certificate's key (PEM); `nil` if it is in the certificate's file.
    package var key: String?
    /// Whether the origin's certificate and name are verified (SDWebImage: `AllowInvalidSSLCertificates` is the opposite).
    package var verifies = true

    /// Creates settings that verify with the system's certificates and present none.
    package init() {}
}

/// A proxy through which a source is reached.
///
/// The proxy resolves host names and connects, so the address policy sees neither the addresses of a name nor those that the
/// name has a moment later. It judges what it can: a literal address in a URL, `localhost`, and ports of other protocols in
/// redirects. What names may resolve to is for the proxy to restrict. The proxy's own address is not judged.
package struct TransferProxy: Hashable, Sendable {
    package enum Scheme: String, Hashable, Sendable, CaseIterable {
        /// An HTTP proxy: a tunnel (CONNECT) for https, forwarding for http.
        case http
        /// The same over TLS.
        case https
        /// SOCKS 5; the proxy resolves names.
        case socks5h
    }

    package var scheme: Scheme
    /// The host and the port; an IPv6 address is in brackets.
    package var authority: String
    package var user: String?
    package var password: Secret?

    /// Creates a proxy.
    package init(_ scheme: Scheme, authority: String, user: String? = nil, password: Secret? = nil) {
        self.scheme = scheme
        self.authority = authority
        self.user = user
        self.password = password
    }

    /// The URL without user and password.
    package var url: String { "\(scheme.rawValue)://\(authority)" }
}

/// Where a source's connections start.
package enum TransferInterface: Hashable, Sendable {
    /// A network interface, such as `eth1`.
    case device(String)
    /// An address of this machine, such as `192.0.2.7`.
    case address(String)

    /// The name or the address.
    package var text: String {
        switch self {
        case .device(let text), .address(let text): text
        }
    }
}
