package import HTTPSemantics

extension AddressPolicy {
    /// Whether a URL may be asked, as far as can be told without resolving or connecting.
    package struct Verdict: Hashable, Sendable {
        package enum Decision: String, Hashable, Sendable {
            case allow, block
        }

        package let decision: Decision
        /// The rule that decided: `malformed`, `scheme`, `userinfo` or `length` for a text that is no URL to ask, an address
        /// rule's name, `bad-port`, `public` for a public address, `name` for a name, whose addresses are checked on
        /// connecting.
        package let rule: String

        /// The rule of a public address.
        package static let publicRule = "public"
        /// The rule of a host name: each of its addresses is checked when it is connected to.
        package static let nameRule = "name"
        /// The rule of a URL that passes only because of `allow-private`.
        package static let privateRule = "allow-private"
        /// The rule that refuses URLs over `OriginURL.maximumLength`.
        package static let lengthRule = "length"
        /// The rule that refuses a text that is no URL, or has no valid host or port.
        package static let malformedRule = "malformed"

        /// Creates a verdict.
        package init(_ decision: Decision, _ rule: String) {
            self.decision = decision
            self.rule = rule
        }

        /// The verdict on a text that is no URL to ask.
        package init(_ defect: OriginURL.Defect) {
            switch defect {
            case .character, .relative, .host, .port, .percent: self.init(.block, Self.malformedRule)
            case .scheme: self.init(.block, "scheme")
            case .userinfo, .fragment: self.init(.block, "userinfo")
            case .length: self.init(.block, Self.lengthRule)
            }
        }
    }

    /// Judges a URL as a source does.
    ///
    /// - Parameters:
    ///   - allowPrivate: whether the source may ask its own network.
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

    /// Whether a name is localhost or below it: a name of this machine that must not be asked of DNS (RFC 6761 §6.3).
    static func isLocalhost(_ name: String) -> Bool {
        name.split(separator: ".").last == "localhost"
    }
}

extension OriginURL {
    /// Whether the host is a name of this machine.
    var isLocalhost: Bool {
        guard case .name(let name) = host else { return false }
        return AddressPolicy.isLocalhost(name)
    }

    /// Whether the port belongs to another protocol (Fetch Standard, "Port blocking").
    var hasBadPort: Bool { BadPort.contains(port) }
}
