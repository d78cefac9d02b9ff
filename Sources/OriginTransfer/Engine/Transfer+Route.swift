import CCurl
import HTTPSemantics
import LinuxSystem

/// The way of a request to its origin: TLS, proxy and interface of its source.
extension Transfer {
    /// Whether the addresses of connections are judged: not those of a proxy, which the operator chose and which connects itself.
    var judgesAddresses: Bool { !options.allowPrivate && options.proxy == nil }

    /// The refusal of the current URL's literal address; `nil` for a name, or for a source that may reach private networks.
    ///
    /// Without a proxy the connection's address is judged instead, in every spelling and after every look-up.
    var literalRefusal: AddressPolicy.Refusal? {
        guard options.proxy != nil, !options.allowPrivate, case .address(let address) = url.host else { return nil }
        return configuration.refusal(address)
    }

    /// Seconds for which libcurl keeps a source's own authority; the system's, which are many, it keeps for a day.
    private static let authorityLifetime = 60

    /// Sets TLS, proxy and interface of a new or reset handle.
    func setRoute(_ easy: EasyHandle) {
        setTrust(easy)
        setProxy(easy)
        switch options.interface {
        case .device(let name): easy.set(CURLOPT_INTERFACE, "if!\(name)")
        case .address(let address): easy.set(CURLOPT_INTERFACE, "host!\(address)")
        case nil: break
        }
    }

    private func setTrust(_ easy: EasyHandle) {
        if let certificates = configuration.certificates { easy.set(CURLOPT_CAINFO, certificates) }
        // Another origin must neither profit from lax settings nor see the client's certificate.
        guard isTrusted else { return }
        let tls = options.tls
        if let authority = tls.authority {
            easy.set(CURLOPT_CAINFO, authority)
            easy.set(CURLOPT_CA_CACHE_TIMEOUT, Self.authorityLifetime)
        }
        if let certificate = tls.certificate {
            easy.set(CURLOPT_SSLCERT, certificate)
            easy.set(CURLOPT_SSLKEY, tls.key ?? certificate)
        }
        if !tls.verifies {
            easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    private func setProxy(_ easy: EasyHandle) {
        // Empty texts disable what the environment says.
        easy.set(CURLOPT_NOPROXY, "")
        guard let proxy = options.proxy else { return easy.set(CURLOPT_PROXY, "") }
        easy.set(CURLOPT_PROXY, proxy.url)
        // The head of the answer to CONNECT is not the origin's.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let user = proxy.user { easy.set(CURLOPT_PROXYUSERNAME, user) }
        if let password = proxy.password { easy.set(CURLOPT_PROXYPASSWORD, password.value) }
    }
}
