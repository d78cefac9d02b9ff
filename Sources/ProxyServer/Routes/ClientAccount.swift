import HTTPKit

extension PeerAddress {
    /// The account that a client's work is charged to: its IPv4 address, or the /64 network of its IPv6 address.
    ///
    /// A host can use every address of its /64 network (RFC 4291 §2.5.1), so single IPv6 addresses would be no limit. All clients
    /// of a Unix socket without a trusted proxy share one account.
    var account: String {
        switch family {
        case .ipv4, .unix: description
        case .ipv6: PeerAddress(family: .ipv6, port: 0, high: high, low: 0).description + "/64"
        }
    }

    /// The account of a client's work for a site; one site's work does not use up what its clients may do at another.
    func account(in site: Site) -> String { site.name.isEmpty ? account : "\(account) \(site.name)" }
}
