package import HTTPSemantics

/// Decides which addresses a source that may not ask its own network may connect to.
///
/// A pure value: the socket and the pre-request callbacks of a transfer ask it with the address that is really connected
/// to, so that neither a name, nor an odd spelling, nor a redirect, nor a second DNS answer leads around it.
/// Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) and the RFCs named in the tables.
package enum AddressPolicy {
    /// Why an address is refused; the raw value is the rule's name for people.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        case unspecified
        case thisNetwork = "this-network"
        case loopback
        case `private`
        case cgnat
        case linkLocal = "link-local"
        case uniqueLocal = "unique-local"
        case siteLocal = "site-local"
        case documentation
        case benchmarking
        case multicast
        case broadcast
        case reserved
        case discard
        case orchid
        case cloudMetadata = "cloud-metadata"
        case ipv4Mapped = "ipv4-mapped"
        case ipv4Compatible = "ipv4-compatible"
        case ipv4Translated = "ipv4-translated"
        case nat64
        case sixToFour = "6to4"
        case teredo
        case isatap
    }

    /// A refusal: the rule, and for an IPv6 form that embeds an IPv4 address what that one is refused for.
    package struct Refusal: Error, Hashable, Sendable {
        package var rule: Rule
        package var embedded: Rule?

        /// Creates a refusal.
        package init(_ rule: Rule, embedded: Rule? = nil) {
            self.rule = rule
            self.embedded = embedded
        }

        /// The rule's name; `ipv4-mapped/loopback` for an embedded address.
        package var name: String {
            guard let embedded else { return rule.rawValue }
            return "\(rule.rawValue)/\(embedded.rawValue)"
        }
    }

    /// The refusal of an address; `nil` when it is a public unicast one.
    package static func refusal(of address: IPAddress) -> Refusal? {
        switch address {
        case .v4(let address): rule(ipv4: address).map { Refusal($0) }
        case .v6(let high, let low): refusal(high: high, low: low)
        }
    }

    private static func rule(ipv4 address: UInt32) -> Rule? {
        ipv4Table.first { address & $0.mask == $0.prefix }?.rule
    }

    private static func refusal(high: UInt64, low: UInt64) -> Refusal? {
        if let entry = ipv6Table.first(where: { high & $0.highMask == $0.high && low & $0.lowMask == $0.low }) {
            switch entry.embedding {
            case .none: return Refusal(entry.rule)
            case .judged(let place):
                return rule(ipv4: place.address(high: high, low: low)).map { Refusal(entry.rule, embedded: $0) }
            case .refused(let place):
                return Refusal(entry.rule, embedded: rule(ipv4: place.address(high: high, low: low)))
            }
        }
        // RFC 4291 §2.4: everything outside of 2000::/3 is not assigned as global unicast.
        guard high >> 61 == 1 else { return Refusal(.reserved) }
        // RFC 5214 §6.1: an ISATAP interface identifier (0000:5efe or 0200:5efe) embeds IPv4 below any prefix.
        if low >> 32 & 0xFDFF_FFFF == 0x0000_5EFE, let embedded = rule(ipv4: UInt32(truncatingIfNeeded: low)) {
            return Refusal(.isatap, embedded: embedded)
        }
        return nil
    }
}
