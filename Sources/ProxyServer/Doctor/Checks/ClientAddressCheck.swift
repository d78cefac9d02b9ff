import HTTPKit

/// Warns about Unix sockets whose clients are not known, so that all of them share one account.
struct ClientAddressCheck: DoctorCheck {
    /// The addresses of the public listener.
    let listeners: [ListenAddress]
    let proxies: Configuration.Proxies

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let sockets = listeners.filter { if case .unix = $0 { true } else { false } }
        guard !sockets.isEmpty, !proxies.trust.contains(PeerAddress.unix) else {
            // Only their requests show whether they do.
            let text = "trusted proxies must name their clients in X-Forwarded-For; the log warns if it is missing"
            return proxies.trust.isEmpty ? [] : [.ok("clients", text)]
        }
        return sockets.map { socket in
            .warning(
                "clients",
                "all clients of \(socket) share one account: one of them can delay all others",
                fix: "add unix to proxies.trust, and let the proxy set X-Forwarded-For to the address of its client"
            )
        }
    }
}
