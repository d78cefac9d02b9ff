/// Which peers are proxies whose word about a client's address counts.
package struct TrustedProxies: Sendable {
    /// Whether a peer is one; asked once a connection, and for each hop of `X-Forwarded-For`.
    package var trusts: @Sendable (PeerAddress) -> Bool
    /// Whether their connections begin with a PROXY protocol header, which is then required.
    package var usesProxyProtocol: Bool

    /// Nobody.
    package static let none = TrustedProxies(usesProxyProtocol: false) { _ in false }

    /// Trusts those for whom the closure is true.
    package init(usesProxyProtocol: Bool, trusts: @escaping @Sendable (PeerAddress) -> Bool) {
        self.trusts = trusts
        self.usesProxyProtocol = usesProxyProtocol
    }
}
