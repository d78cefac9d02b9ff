import HTTPKit

/// The fields by which a browser states the site a request comes from and the name of the server.
struct BrowserRequest {
    /// `Host`, or `nil`.
    private let host: String?
    /// `Origin`, or `nil`.
    private let origin: String?
    /// All values of `Sec-Fetch-Site` (Fetch Metadata §2.3), as requests without CORS have no `Origin`.
    private let sites: [String]

    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes.copy(range), as: UTF8.self).lowercased() }
        host = head.value(of: .host).map(text)
        origin = head.value(of: .origin).map(text)
        var sites: [String] = []
        for field in head.fields where text(field.name) == "sec-fetch-site" { sites.append(text(field.value)) }
        self.sites = sites
    }

    /// Whether a page of another site may have made the request.
    ///
    /// True if `Sec-Fetch-Site` states it, if `Origin` is another server, or if `Host` is a name, as any site's name can resolve to
    /// this server (DNS rebinding).
    var isOfAnotherSite: Bool {
        // "none": the user entered the address.
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return true }
        guard let host else { return origin != nil }
        if !Self.isOwnName(host) { return true }
        guard let origin else { return false }
        return origin != "http://\(host)" && origin != "https://\(host)"
    }

    /// Whether the request states where it comes from.
    var namesOrigin: Bool { origin != nil || !sites.isEmpty }

    /// Whether the request proves that a page of this server made it, or the user entered its address.
    ///
    /// Browsers state `Origin` in every request that changes something. A proxy in front must therefore pass on `Host`.
    var isOfOwnPage: Bool {
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return false }
        guard let origin else { return !sites.isEmpty }
        return host.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
    }

    /// Whether the browser uses https, as a proxy in front accepts it.
    var isSecure: Bool { origin?.hasPrefix("https://") ?? false }

    /// Whether an authority is an address, or a name that no other site can have: `localhost` and its subdomains.
    ///
    /// A name without a dot may be assigned by others in the local network.
    private static func isOwnName(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let name = authority.prefix { $0 != ":" }
        return name == "localhost" || name.hasSuffix(".localhost") || PeerAddress(String(name), port: 0) != nil
    }
}
