extension PeerAddress {
    /// The account that a client's connections and work are charged to: its IPv4 address, or the /64 network of its IPv6 address.
    ///
    /// A host can use every address of its /64 network (RFC 4291 §2.5.1), so single IPv6 addresses would be no limit.
    package var account: String {
        switch family {
        case .ipv4, .unix: description
        case .ipv6: PeerAddress(family: .ipv6, port: 0, high: high, low: 0).description + "/64"
        }
    }
}
