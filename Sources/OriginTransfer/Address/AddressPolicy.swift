import Glibc
package import HTTPSemantics

/// Decides which addresses a source without access to private networks may connect to.
///
/// A transfer's socket and pre-request callbacks check the address of the actual connection, so the policy also covers host
/// names, unusual spellings, redirects and DNS answers that change.
///
/// Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) and the RFCs named in the tables.
package enum AddressPolicy {
    /// Why an address is refused; the raw value is the rule's name in messages.
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

    /// A refusal: the rule, and the rule that refuses the IPv4 address embedded in an IPv6 form.
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

    /// Returns the refusal of an address; `nil` for a public unicast address.
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
        // RFC 4291 §2.4: global unicast is assigned from 2000::/3 only.
        guard high >> 61 == 1 else { return Refusal(.reserved) }
        // RFC 5214 §6.1: an ISATAP interface identifier (0000:5efe or 0200:5efe) embeds an IPv4 address under any prefix.
        if low >> 32 & 0xFDFF_FFFF == 0x0000_5EFE, let embedded = rule(ipv4: UInt32(truncatingIfNeeded: low)) {
            return Refusal(.isatap, embedded: embedded)
        }
        return nil
    }
}

extension IPAddress {
    /// Reads the address from a `sockaddr`; `nil` for other families and truncated structures.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        let family = unsafe bytes.loadUnaligned(as: sa_family_t.self)
        switch CInt(family) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
            self = .v4(UInt32(bigEndian: address.sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self.init(unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default:
            return nil
        }
    }
}
