/// The proxies that are trusted to report client addresses.
package struct TrustedProxies: Sendable {
    /// Whether a peer is a trusted proxy; called once per connection and for each hop of `X-Forwarded-For`.
    package var trusts: @Sendable (PeerAddress) -> Bool
    /// Whether their connections start with a PROXY protocol header, which is then required.
    package var usesProxyProtocol: Bool

    /// Trusts no peer.
    package static let none = TrustedProxies(usesProxyProtocol: false) { _ in false }

    /// Trusts the peers for which the closure returns true.
    package init(usesProxyProtocol: Bool, trusts: @escaping @Sendable (PeerAddress) -> Bool) {
        self.trusts = trusts
        self.usesProxyProtocol = usesProxyProtocol
    }
}
