import HTTPKit

/// What a browser says of where a request comes from, and under what name it found the server.
struct BrowserRequest {
    /// `Host`; `nil` where there is none.
    private let host: String?
    /// `Origin`; `nil` where there is none.
    private let origin: String?
    /// All values of `Sec-Fetch-Site` (Fetch Metadata §2.3): requests without CORS have no `Origin`.
    private let sites: [String]

    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        func text(_ range: Range<Int>) -> String { String(decoding: bytes.copy(range), as: UTF8.self).lowercased() }
        host = head.value(of: .host).map(text)
        origin = head.value(of: .origin).map(text)
        var sites: [String] = []
        for field in head.fields where text(field.name) == "sec-fetch-site" { sites.append(text(field.value)) }
        self.sites = sites
    }

    /// Whether it may have been made by a page of another site: it says so itself, its `Origin` is not the server asked, or the
    /// server is asked by a name, which may be any site's that points here (DNS rebinding).
    var isOfAnotherSite: Bool {
        // "none": somebody has typed the address.
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return true }
        guard let host else { return origin != nil }
        if !Self.isOwnName(host) { return true }
        guard let origin else { return false }
        return origin != "http://\(host)" && origin != "https://\(host)"
    }

    /// Whether an authority is an address, or a name that no other site can have: `localhost` and names below it.
    ///
    /// A name without a dot may be one of the local network's, which others give.
    private static func isOwnName(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let name = authority.prefix { $0 != ":" }
        return name == "localhost" || name.hasSuffix(".localhost") || PeerAddress(String(name), port: 0) != nil
    }
}
