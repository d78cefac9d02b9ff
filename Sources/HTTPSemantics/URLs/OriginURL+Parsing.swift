extension OriginURL {
    /// The reason why a text is not a usable origin URL.
    package enum Defect: String, Error, Hashable, Sendable, CaseIterable {
        /// A control character, or a backslash, which browsers read as a slash.
        case character
        /// Not an absolute URL.
        case relative
        /// Neither http nor https.
        case scheme
        /// `user:password@`, which is not accepted in URLs (RFC 9110 §4.2.4).
        case userinfo
        /// An `@` in the fragment, where a parser that ends the authority at the last `@` would find another host.
        case fragment
        /// Empty, percent-encoded, non-ASCII (punycode is required), with a zone, a number that is no address, or an IPv4
        /// address with a dot at its end.
        case host
        /// Not 1 to 65535.
        case port
        /// A `%` that is not followed by two hexadecimal digits.
        case percent
        /// `text` would be over `maximumLength` bytes.
        case length

        /// The problem, as a clause without a subject.
        package var reason: String {
            switch self {
            case .character: "has a control character or a backslash"
            case .relative, .scheme: "must be an absolute http or https URL"
            case .userinfo: "has user information"
            case .fragment: "has an @ in its fragment, which may be read as user information"
            case .host: "has a host that is neither a name nor an address"
            case .port: "has a port that is not a number from 1 to 65535"
            case .percent: "has a % that is not followed by two hexadecimal digits"
            case .length: "is longer than \(OriginURL.maximumLength) bytes"
            }
        }
    }

    /// Parses an absolute URL.
    ///
    /// Stricter than browsers and libcurl about the authority. Bytes of the path and the query that no URL may hold (RFC 3986
    /// §2) are percent-encoded, as browsers do. Path and query are requested in normal form, so that spellings that share a cache
    /// key are one request: an origin that does not treat them alike could otherwise be made to fail for all of them.
    ///
    /// - Throws: the problem of the URL.
    package init(_ text: String) throws(Defect) {
        try self.init(text, keepsSpelling: false)
    }

    /// Parses an absolute URL whose path and query are requested as given, because a signature may cover their spelling.
    ///
    /// - Throws: the problem of the URL.
    package init(asGiven text: String) throws(Defect) {
        try self.init(text, keepsSpelling: true)
    }

    /// - Parameters:
    ///   - keepsSpelling: whether path and query are requested as given.
    ///   - allowsStrayPercent: whether a `%` that two hexadecimal digits do not follow stays as it is, as browsers have it; servers
    ///     write such redirects.
    init(_ text: String, keepsSpelling: Bool, allowsStrayPercent: Bool = false) throws(Defect) {
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else { throw .character }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .relative }
        let scheme = try Self.scheme(bytes[..<colon])
        guard bytes[(colon + 1)...].starts(with: "//".utf8) else { throw .relative }
        let whole = bytes[(colon + 3)...]
        let rest = whole.prefix { $0 != UInt8(ascii: "#") }
        guard !whole[rest.endIndex...].contains(UInt8(ascii: "@")) else { throw .fragment }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userinfo }
        let (hostBytes, portBytes) = try Self.split(authority)
        let (host, hostText) = try Self.host(hostBytes)
        let port = try Self.port(portBytes, scheme)
        let target = rest[authority.endIndex...]
        guard let target = URLTarget(target, allowsStrayPercent: allowsStrayPercent) else { throw .percent }
        self.init(
            scheme: scheme,
            host: host,
            hostText: hostText,
            port: port,
            requestTarget: keepsSpelling ? target.asGiven : target.normal,
            normalTarget: target.normal
        )
        guard origin.utf8.count + requestTarget.utf8.count <= Self.maximumLength else { throw .length }
    }

    private static func scheme(_ bytes: ArraySlice<UInt8>) throws(Defect) -> Scheme {
        // RFC 3986 §3.1: a scheme begins with a letter.
        guard let first = bytes.first, (0x61...0x7A).contains(first | 0x20) else { throw .relative }
        guard let scheme = Scheme(rawValue: String(decoding: bytes, as: UTF8.self).lowercased()) else { throw .scheme }
        return scheme
    }

    /// Splits `host`, `host:port`, `[v6]` or `[v6]:port`.
    private static func split(
        _ authority: ArraySlice<UInt8>
    ) throws(Defect) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        guard authority.first == UInt8(ascii: "[") else {
            let colon = authority.firstIndex(of: UInt8(ascii: ":"))
            return (authority[..<(colon ?? authority.endIndex)], colon.map { authority[($0 + 1)...] })
        }
        guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
        let after = authority[(close + 1)...]
        guard after.isEmpty || after.first == UInt8(ascii: ":") else { throw .host }
        return (authority[...close], after.isEmpty ? nil : after.dropFirst())
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(Defect) -> (Host, String) {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        if bytes.first == UInt8(ascii: "[") {
            // RFC 3986 §3.2.2; a zone (RFC 6874) means nothing beyond this machine, and no IPvFuture exists.
            guard let address = IPAddress(String(text.dropFirst().dropLast())), case .v6 = address else { throw .host }
            return (.address(address), text)
        }
        guard (1...253).contains(bytes.count), bytes.allSatisfy(isHostCharacter) else { throw .host }
        // No empty label; one trailing dot marks an absolute name.
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let named = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
        guard !named.isEmpty, named.allSatisfy({ (1...63).contains($0.utf8.count) }) else { throw .host }
        switch NumericHost.read(text) {
        case .name: return (.name(text), text)
        case .address(let address):
            // With a trailing dot it is an address for some parsers and a name for others.
            guard !text.hasSuffix(".") else { throw .host }
            return (.address(.v4(address)), text)
        case .malformed: throw .host
        }
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~")
    }

    private static func port(_ bytes: ArraySlice<UInt8>?, _ scheme: Scheme) throws(Defect) -> Int {
        // RFC 3986 §6.2.3: an empty port is the default one.
        guard let bytes, !bytes.isEmpty else { return scheme.defaultPort }
        guard bytes.count <= 5, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .port }
        let port = bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (1...65_535).contains(port) else { throw .port }
        return port
    }
}
