/// The address ranges of the policy; the first matching entry decides.
extension AddressPolicy {
    struct IPv4Entry: Sendable {
        let prefix: UInt32
        let mask: UInt32
        let rule: Rule

        init(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ bits: UInt32, _ rule: Rule) {
            mask = ~UInt32(0) << (32 - bits)
            prefix = (a << 24 | b << 16 | c << 8 | d) & mask
            self.rule = rule
        }
    }

    /// Where an IPv6 address embeds an IPv4 address.
    enum Place: Sendable {
        /// The last 32 bits.
        case low
        /// Bits 16 to 47 (6to4, RFC 3056 §2).
        case sixToFour
        /// The last 32 bits, inverted (a Teredo client, RFC 4380 §4).
        case inverted

        func address(high: UInt64, low: UInt64) -> UInt32 {
            switch self {
            case .low: UInt32(truncatingIfNeeded: low)
            case .sixToFour: UInt32(truncatingIfNeeded: high >> 16)
            case .inverted: ~UInt32(truncatingIfNeeded: low)
            }
        }
    }

    /// How an embedded IPv4 address affects the verdict.
    enum Embedding: Sendable {
        case none
        /// A form in use: refused if the embedded address is refused.
        case judged(Place)
        /// A deprecated or local-use form: always refused; the embedded address only adds to the rule's name.
        case refused(Place)
    }

    struct IPv6Entry: Sendable {
        let high: UInt64
        let highMask: UInt64
        let low: UInt64
        let lowMask: UInt64
        let rule: Rule
        let embedding: Embedding

        init(_ high: UInt64, _ low: UInt64 = 0, bits: UInt64, _ rule: Rule, _ embedding: Embedding = .none) {
            highMask = bits >= 64 ? ~0 : ~UInt64(0) << (64 - bits)
            lowMask = bits <= 64 ? 0 : ~UInt64(0) << (128 - bits)
            self.high = high & highMask
            self.low = low & lowMask
            self.rule = rule
            self.embedding = embedding
        }
    }

    static let ipv4Table: [IPv4Entry] = [
        IPv4Entry(0, 0, 0, 0, 32, .unspecified),
        IPv4Entry(0, 0, 0, 0, 8, .thisNetwork),  // RFC 791 §3.2
        IPv4Entry(10, 0, 0, 0, 8, .private),  // RFC 1918
        IPv4Entry(100, 64, 0, 0, 10, .cgnat),  // RFC 6598
        IPv4Entry(127, 0, 0, 0, 8, .loopback),  // RFC 1122 §3.2.1.3
        IPv4Entry(169, 254, 0, 0, 16, .linkLocal),  // RFC 3927; includes cloud metadata, 169.254.169.254
        IPv4Entry(172, 16, 0, 0, 12, .private),
        IPv4Entry(192, 0, 0, 0, 24, .reserved),  // RFC 6890: IETF protocol assignments
        IPv4Entry(192, 0, 2, 0, 24, .documentation),  // RFC 5737
        IPv4Entry(192, 88, 99, 0, 24, .sixToFour),  // RFC 7526: deprecated relay anycast
        IPv4Entry(192, 168, 0, 0, 16, .private),
        IPv4Entry(198, 18, 0, 0, 15, .benchmarking),  // RFC 2544
        IPv4Entry(198, 51, 100, 0, 24, .documentation),
        IPv4Entry(203, 0, 113, 0, 24, .documentation),
        IPv4Entry(168, 63, 129, 16, 32, .cloudMetadata),  // Azure's host services, at a public address
        IPv4Entry(224, 0, 0, 0, 4, .multicast),  // RFC 5771
        IPv4Entry(255, 255, 255, 255, 32, .broadcast),  // RFC 919 §7
        IPv4Entry(240, 0, 0, 0, 4, .reserved),  // RFC 1112 §4
    ]

    static let ipv6Table: [IPv6Entry] = [
        IPv6Entry(0, 0, bits: 128, .unspecified),
        IPv6Entry(0, 1, bits: 128, .loopback),
        IPv6Entry(0, 0x0000_FFFF_0000_0000, bits: 96, .ipv4Mapped, .judged(.low)),  // RFC 4291 §2.5.5.2
        IPv6Entry(0, 0xFFFF_0000_0000_0000, bits: 96, .ipv4Translated, .refused(.low)),  // RFC 2765 §2.1
        IPv6Entry(0, 0, bits: 96, .ipv4Compatible, .refused(.low)),  // RFC 4291 §2.5.5.1
        IPv6Entry(0x0064_FF9B_0000_0000, 0, bits: 96, .nat64, .judged(.low)),  // RFC 6052 §2.1
        IPv6Entry(0x0064_FF9B_0001_0000, bits: 48, .nat64, .refused(.low)),  // RFC 8215: local use
        IPv6Entry(0x0100_0000_0000_0000, bits: 64, .discard),  // RFC 6666
        IPv6Entry(0x2001_0000_0000_0000, bits: 32, .teredo, .refused(.inverted)),  // RFC 4380
        IPv6Entry(0x2001_0002_0000_0000, bits: 48, .benchmarking),  // RFC 5180
        IPv6Entry(0x2001_0010_0000_0000, bits: 28, .orchid),  // RFC 4843
        IPv6Entry(0x2001_0020_0000_0000, bits: 28, .orchid),  // RFC 7343
        IPv6Entry(0x2001_0000_0000_0000, bits: 23, .reserved),  // RFC 2928: IETF protocol assignments
        IPv6Entry(0x2001_0DB8_0000_0000, bits: 32, .documentation),  // RFC 3849
        IPv6Entry(0x3FFF_0000_0000_0000, bits: 20, .documentation),  // RFC 9637
        IPv6Entry(0x2002_0000_0000_0000, bits: 16, .sixToFour, .refused(.sixToFour)),  // RFC 3056, RFC 7526
        IPv6Entry(0xFC00_0000_0000_0000, bits: 7, .uniqueLocal),  // RFC 4193
        IPv6Entry(0xFE80_0000_0000_0000, bits: 10, .linkLocal),  // RFC 4291 §2.5.6
        IPv6Entry(0xFEC0_0000_0000_0000, bits: 10, .siteLocal),  // RFC 3879
        IPv6Entry(0xFF00_0000_0000_0000, bits: 8, .multicast),  // RFC 4291 §2.7
    ]
}
