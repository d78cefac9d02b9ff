extension UpstreamURL {
    /// A verdict for `check-url`, without resolving or connecting.
    package struct Verdict: Hashable, Sendable {
        package enum Decision: String, Hashable, Sendable {
            case allow, block
        }

        package let decision: Decision
        /// The rule that decided: a defect's name, an address rule's name, `public` for a public literal, `name` for a
        /// name, whose addresses are judged when it is connected to.
        package let rule: String

        /// The rule of a public address.
        package static let publicRule = "public"
        /// The rule of a host that is a name: each of its addresses is judged when it is connected to.
        package static let nameRule = "name"
        /// The rule of what only `allow-private` lets pass.
        package static let privateRule = "allow-private"
        /// The rule that refuses URLs over `maximumLength`.
        package static let lengthRule = "length"

        /// Creates a verdict.
        package init(_ decision: Decision, _ rule: String) {
            self.decision = decision
            self.rule = rule
        }
    }

    /// Judges a URL as a source without `allow-private` would.
    package static func verdict(url: String) -> Verdict {
        do {
            return try UpstreamURL(url).verdict
        } catch {
            return Verdict(.block, error.rawValue)
        }
    }

    /// Judges a URL as a source does.
    ///
    /// - Parameter allowPrivate: whether the source may ask its own network; what is no URL is refused all the same.
    package static func verdict(url: String, allowPrivate: Bool) -> Verdict {
        guard url.utf8.count <= maximumLength else { return Verdict(.block, Verdict.lengthRule) }
        do {
            let verdict = try UpstreamURL(url).verdict
            return allowPrivate && verdict.decision == .block ? Verdict(.allow, Verdict.privateRule) : verdict
        } catch {
            return Verdict(.block, error.rawValue)
        }
    }

    /// Judges the host, as far as that is possible without resolving it.
    package var verdict: Verdict {
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
