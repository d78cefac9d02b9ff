extension UpstreamURL {
    /// A verdict for `check-url`, without resolving or connecting.
    package struct Verdict: Hashable, Sendable {
        package enum Decision: String, Hashable, Sendable {
            case allow, block
        }

        package let decision: Decision
        /// The rule that decided: `malformed`, `scheme` or `userinfo` for what is no URL that may be asked, an address rule's
        /// name, `bad-port`, `public` for a public literal, `name` for a name, whose addresses are judged when it is connected to.
        package let rule: String

        /// The rule of a public address.
        package static let publicRule = "public"
        /// The rule of a host that is a name: each of its addresses is judged when it is connected to.
        package static let nameRule = "name"
        /// The rule of what only `allow-private` lets pass.
        package static let privateRule = "allow-private"
        /// The rule that refuses URLs over `maximumLength`.
        package static let lengthRule = "length"
        /// The rule that refuses what is no URL, or has no host or port that could be asked.
        package static let malformedRule = "malformed"

        /// Creates a verdict.
        package init(_ decision: Decision, _ rule: String) {
            self.decision = decision
            self.rule = rule
        }

        /// The verdict on what is no URL that may be asked.
        package init(_ defect: Defect) {
            switch defect {
            case .syntax, .host, .port: self.init(.block, Self.malformedRule)
            case .scheme, .userinfo: self.init(.block, defect.rawValue)
            }
        }
    }

    /// Judges a URL as a source without `allow-private` would.
    package static func verdict(url: String) -> Verdict {
        verdict(url: url, allowPrivate: false)
    }

    /// Judges a URL as a source does.
    ///
    /// - Parameters:
    ///   - allowPrivate: whether the source may ask its own network; what is no URL is refused all the same.
    ///   - prefix: where the source's originals are: ports there are the operator's choice.
    package static func verdict(url: String, allowPrivate: Bool, below prefix: String? = nil) -> Verdict {
        guard url.utf8.count <= maximumLength else { return Verdict(.block, Verdict.lengthRule) }
        do {
            let url = try UpstreamURL(url)
            let verdict = url.hostVerdict
            guard allowPrivate || verdict.decision == .allow else { return verdict }
            let isOwn = prefix.flatMap { try? UpstreamURL($0) }.map(url.hasSameOrigin) ?? false
            guard isOwn || !url.hasBadPort else { return Verdict(.block, BadPort.rule) }
            return verdict.decision == .allow ? verdict : Verdict(.allow, Verdict.privateRule)
        } catch {
            return Verdict(error)
        }
    }

    /// Whether the port is another protocol's (Fetch Standard, "Port blocking").
    var hasBadPort: Bool { BadPort.contains(port) }

    /// Judges the host, as far as that is possible without resolving it.
    private var hostVerdict: Verdict {
        switch host {
        case .address(let address):
            guard let refusal = AddressPolicy.refusal(of: address) else { return Verdict(.allow, Verdict.publicRule) }
            return Verdict(.block, refusal.name)
        case .name(let name):
            return Self.isLocalhost(name) ? Verdict(.block, "loopback") : Verdict(.allow, Verdict.nameRule)
        }
    }

    /// Whether the host is a name of this machine that must not be asked of DNS: localhost and all below it (RFC 6761 §6.3).
    package var isLocalhost: Bool {
        guard case .name(let name) = host else { return false }
        return Self.isLocalhost(name)
    }

    private static func isLocalhost(_ name: String) -> Bool {
        name.split(separator: ".").last == "localhost"
    }
}
