import HTTPKit

/// What a browser says of where a request comes from, and under what name it found the server.
struct BrowserRequest {
    /// `Host`; `nil` where there is none.
    private let host: String?
    /// `Origin`; `nil` where there is none.
    private let origin: String?

    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        func text(_ field: KnownField) -> String? {
            head.value(of: field).map { String(decoding: bytes.copy($0), as: UTF8.self).lowercased() }
        }
        host = text(.host)
        origin = text(.origin)
    }

    /// Whether it may have been made by a page of another site: its `Origin` is not the server asked, or the server is asked by a
    /// name, which may be any site's that points here (DNS rebinding).
    var isOfAnotherSite: Bool {
        guard let host else { return origin != nil }
        if !Self.isOwnName(host) { return true }
        guard let origin else { return false }
        return origin != "http://\(host)" && origin != "https://\(host)"
    }

    /// Whether an authority is an address, or a name that no other site can have: `localhost`, and names without a dot.
    private static func isOwnName(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let name = authority.prefix { $0 != ":" }
        return !name.contains(".") || name.hasSuffix(".localhost") || PeerAddress(String(name), port: 0) != nil
    }
}
