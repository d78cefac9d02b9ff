package import HTTPSemantics

extension AddressPolicy {
    /// The policy's decision on a URL, made without resolving names or connecting.
    package struct Verdict: Hashable, Sendable {
        package enum Decision: String, Hashable, Sendable {
            case allow, block
        }

        package let decision: Decision
        /// The rule that decided: `malformed`, `scheme`, `userinfo` or `length` for an unusable URL, `bad-port`, an address rule's
        /// name, `public` for a public address, or `name` for a host name, whose addresses are checked on connecting.
        package let rule: String

        /// The rule of a public address.
        package static let publicRule = "public"
        /// The rule of a host name, whose addresses are checked on connecting.
        package static let nameRule = "name"
        /// The rule of a URL that is allowed only by `allow-private`.
        package static let privateRule = "allow-private"
        /// The rule that refuses URLs longer than `OriginURL.maximumLength`.
        package static let lengthRule = "length"
        /// The rule that refuses a text that is not a URL or has an invalid host or port.
        package static let malformedRule = "malformed"

        /// Creates a verdict.
        package init(_ decision: Decision, _ rule: String) {
            self.decision = decision
            self.rule = rule
        }

        /// Creates the verdict on an unusable URL.
        package init(_ defect: OriginURL.Defect) {
            switch defect {
            case .character, .relative, .host, .port, .percent: self.init(.block, Self.malformedRule)
            case .scheme: self.init(.block, "scheme")
            case .userinfo, .fragment: self.init(.block, "userinfo")
            case .length: self.init(.block, Self.lengthRule)
            }
        }
    }

    /// Returns the verdict on a URL of a source.
    ///
    /// - Parameters:
    ///   - allowPrivate: whether the source may connect to private networks.
    ///   - prefix: the URL of the source's originals; the operator chose its port.
    package static func verdict(
        on url: OriginURL,
        allowPrivate: Bool = false,
        below prefix: OriginURL? = nil
    ) -> Verdict {
        let verdict = hostVerdict(url.host)
        guard allowPrivate || verdict.decision == .allow else { return verdict }
        let isOwn = prefix.map(url.hasSameOrigin) ?? false
        guard isOwn || !BadPort.contains(url.port) else { return Verdict(.block, BadPort.rule) }
        return verdict.decision == .allow ? verdict : Verdict(.allow, Verdict.privateRule)
    }

    private static func hostVerdict(_ host: OriginURL.Host) -> Verdict {
        switch host {
        case .address(let address):
            guard let refusal = refusal(of: address) else { return Verdict(.allow, Verdict.publicRule) }
            return Verdict(.block, refusal.name)
        case .name(let name):
            return isLocalhost(name) ? Verdict(.block, Rule.loopback.rawValue) : Verdict(.allow, Verdict.nameRule)
        }
    }

    /// Whether a name is `localhost` or a subdomain, which name this machine and must not be looked up in DNS (RFC 6761 §6.3).
    static func isLocalhost(_ name: String) -> Bool {
        name.split(separator: ".").last == "localhost"
    }
}

extension OriginURL {
    /// Whether the host is `localhost` or a subdomain.
    var isLocalhost: Bool {
        guard case .name(let name) = host else { return false }
        return AddressPolicy.isLocalhost(name)
    }

    /// Whether the port belongs to another protocol (Fetch Standard, "Port blocking").
    var hasBadPort: Bool { BadPort.contains(port) }
}

/// The ports of other protocols, refused in URLs from clients and redirects: a mail server, for example, would execute lines of an
/// HTTP request as commands (Fetch Standard, "Port blocking").
enum BadPort {
    /// The refusal's name in messages.
    static let rule = "bad-port"

    /// Whether a port is on the standard's list.
    static func contains(_ port: Int) -> Bool { all.contains(port) }

    private static let all: Set<Int> = [
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
        110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
        531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
        5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    ]
}
