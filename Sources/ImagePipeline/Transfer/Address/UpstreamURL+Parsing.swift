extension UpstreamURL {
    /// Bytes of a URL at most.
    package static let maximumLength = 8192

    /// Parses an absolute URL.
    ///
    /// Stricter than browsers and libcurl: no userinfo, no backslash, no blanks, no percent-encoded or non-ASCII host.
    ///
    /// - Throws: what is wrong with it.
    package init(_ text: String) throws(Defect) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else { throw .syntax }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .syntax }
        let scheme = try Self.scheme(bytes[..<colon])
        guard bytes[(colon + 1)...].starts(with: [47, 47]) else { throw .syntax }
        let rest = bytes[(colon + 3)...]
        guard rest.allSatisfy(Self.isURLCharacter) else { throw .syntax }
        // A parser that ends the authority at an "@" would find another host there.
        guard !rest.drop(while: { $0 != UInt8(ascii: "#") }).contains(UInt8(ascii: "@")) else { throw .userinfo }
        let authorityEnd = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let authority = rest[..<(authorityEnd ?? rest.endIndex)]
        let (host, hostText, port) = try Self.authority(authority, scheme)
        let (path, query) = Self.pathAndQuery(rest[(authorityEnd ?? rest.endIndex)...])
        self.init(scheme: scheme, host: host, hostText: hostText, port: port, path: path, query: query)
    }

    /// Visible ASCII without the backslash, which browsers take for a slash, and without `"` `<` `>` `^` `` ` ``.
    static func isURLCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60: false
        default: (0x21...0x7E).contains(byte)
        }
    }

    private static func scheme(_ bytes: ArraySlice<UInt8>) throws(Defect) -> Scheme {
        // RFC 3986 §3.1
        guard let first = bytes.first, (first | 0x20) >= 0x61, (first | 0x20) <= 0x7A else { throw .syntax }
        guard let scheme = Scheme(rawValue: String(decoding: bytes, as: UTF8.self).lowercased()) else { throw .scheme }
        return scheme
    }

    private static func authority(
        _ bytes: ArraySlice<UInt8>,
        _ scheme: Scheme
    ) throws(Defect) -> (Host, String, Int) {
        guard !bytes.contains(UInt8(ascii: "@")) else { throw .userinfo }
        let hostBytes: ArraySlice<UInt8>
        var portBytes: ArraySlice<UInt8>?
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
            hostBytes = bytes[...close]
            let after = bytes[(close + 1)...]
            guard after.isEmpty || after.first == UInt8(ascii: ":") else { throw .host }
            portBytes = after.isEmpty ? nil : after.dropFirst()
        } else {
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
            hostBytes = bytes[..<(colon ?? bytes.endIndex)]
            portBytes = colon.map { bytes[($0 + 1)...] }
        }
        let (host, text) = try host(hostBytes)
        return (host, text, try port(portBytes, scheme))
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(Defect) -> (Host, String) {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        if bytes.first == UInt8(ascii: "[") {
            // RFC 3986 §3.2.2; a zone (RFC 6874) has no meaning beyond this machine, and IPvFuture none at all.
            guard let address = IPAddress(String(text.dropFirst().dropLast())), case .v6 = address else { throw .host }
            return (.address(address), text)
        }
        guard (1...253).contains(bytes.count), bytes.allSatisfy(isHostCharacter) else { throw .host }
        // No empty label; one trailing dot is an absolute name.
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let named = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
        guard !named.isEmpty, named.allSatisfy({ (1...63).contains($0.utf8.count) }) else { throw .host }
        switch NumericHost.read(text) {
        case .name: return (.name(text), text)
        case .address(let address):
            // With a trailing dot it is an address for some parsers, and a name for others.
            guard !text.hasSuffix(".") else { throw .host }
            return (.address(.v4(address)), text)
        case .malformed: throw .host
        }
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        }
    }

    private static func port(_ bytes: ArraySlice<UInt8>?, _ scheme: Scheme) throws(Defect) -> Int {
        // RFC 3986 §3.2.3: an empty port is the default one.
        guard let bytes, !bytes.isEmpty else { return scheme.defaultPort }
        guard bytes.count <= 5, bytes.allSatisfy({ (48...57).contains($0) }) else { throw .port }
        let port = bytes.reduce(0) { $0 * 10 + Int($1 - 48) }
        guard (1...65535).contains(port) else { throw .port }
        return port
    }

    private static func pathAndQuery(_ bytes: ArraySlice<UInt8>) -> (path: String, query: String?) {
        let whole = bytes.prefix { $0 != UInt8(ascii: "#") }
        let mark = whole.firstIndex(of: UInt8(ascii: "?"))
        let path = String(decoding: whole[..<(mark ?? whole.endIndex)], as: UTF8.self)
        let query = mark.map { String(decoding: whole[($0 + 1)...], as: UTF8.self) }
        return (path.isEmpty ? "/" : path, query)
    }
}
