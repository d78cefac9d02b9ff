/// An absolute http or https URL: taken apart, with the two spellings that matter.
package struct OriginURL: Hashable, Sendable {
    package enum Scheme: String, Hashable, Sendable, CaseIterable {
        case http
        case https

        package var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    package let scheme: Scheme
    /// In lower case; an IPv6 address in its brackets.
    package let host: String
    /// 1–65535; the scheme's own where none is given.
    package let port: Int
    /// Path and query as given, at least `/`; only bytes that no URL may hold are percent-encoded.
    package let requestTarget: String
    /// Path and query in normal form.
    private let normalTarget: String

    /// What to ask upstream: normal scheme, host and port, the path and query as they were given.
    package var text: String { origin + requestTarget }

    /// The same URL for all spellings that RFC 3986 §6.2.2 and §6.2.3 hold to be equivalent: for cache keys.
    package var normalized: String { origin + normalTarget }

    private var origin: String {
        "\(scheme.rawValue)://\(host)" + (port == scheme.defaultPort ? "" : ":\(port)")
    }

    /// Reads a URL; the fragment is dropped.
    ///
    /// - Throws: 400, naming `parameter`: another scheme, user information, an `@` in the
    ///   fragment, a host that is no plain name or address, a port out
    ///   of range, a malformed `%`, a backslash or a control character.
    package init(_ text: String, parameter: String = "url") throws(RequestError) {
        func error(_ reason: String) -> RequestError { RequestError(parameter: parameter, reason: reason) }
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0.isASCIIControl || $0 == UInt8(ascii: "\\") }) else {
            throw error("has a control character or a backslash")
        }
        guard let (scheme, start) = Self.scheme(of: bytes) else {
            throw error("must be an absolute http or https URL")
        }
        let withoutFragment = bytes[start...].prefix { $0 != UInt8(ascii: "#") }
        guard !bytes[withoutFragment.endIndex...].contains(UInt8(ascii: "@")) else {
            throw error("has an @ in its fragment, which may be read as user information")
        }
        let authority = withoutFragment.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.contains(UInt8(ascii: "@")) else { throw error("has user information") }
        guard let parts = URLAuthority(authority) else { throw error("has a host or port that is not valid") }
        self.scheme = scheme
        host = parts.host
        port = parts.port ?? scheme.defaultPort
        guard let target = URLTarget(withoutFragment[authority.endIndex...]) else {
            throw error("has a % that two hexadecimal digits do not follow")
        }
        requestTarget = target.asGiven
        normalTarget = target.normal
    }

    private static func scheme(of bytes: [UInt8]) -> (Scheme, Int)? {
        for scheme in Scheme.allCases {
            let start = Array("\(scheme.rawValue)://".utf8)
            if bytes.count > start.count, bytes.prefix(start.count).map(\.asciiLowercased) == start {
                return (scheme, start.count)
            }
        }
        return nil
    }
}
