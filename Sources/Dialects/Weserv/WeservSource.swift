import ImagePlan

/// The address of an image in `url=`, which may lack its scheme.
enum WeservSource {
    /// The absolute URL: without a scheme `http`, after `ssl:` or `//` `https`; a fragment is dropped.
    ///
    /// - Parameter stated: the value, decoded once.
    /// - Throws: 400 for another scheme, or if there is no host.
    static func url(_ stated: OptionValue) throws(RequestError) -> String {
        let bytes = Array(stated.text.utf8)
        let prefixes = [("http://", "http"), ("https://", "https"), ("ssl:", "https"), ("//", "https")]
        let found = prefixes.first { starts(bytes, with: $0.0) }
        var rest = bytes.dropFirst(found?.0.utf8.count ?? 0)
        rest = rest.drop { $0 == UInt8(ascii: "/") }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        guard found != nil || !hasScheme(bytes) else { throw stated.error("must be an address of http or https") }
        guard let first = rest.first, first != UInt8(ascii: "?") else {
            throw stated.error("must be the address of an image")
        }
        return "\(found?.1 ?? "http")://\(String(decoding: rest, as: UTF8.self))"
    }

    /// Whether bytes start with a scheme (RFC 3986 §3.1) and `://`.
    private static func hasScheme(_ bytes: [UInt8]) -> Bool {
        let scheme = bytes.prefix { $0.isURLUnreserved && $0 != UInt8(ascii: "_") || $0 == UInt8(ascii: "+") }
        return !scheme.isEmpty && bytes[scheme.endIndex...].starts(with: "://".utf8)
    }

    /// Whether bytes start with a text in ASCII, in either case.
    private static func starts(_ bytes: [UInt8], with prefix: String) -> Bool {
        bytes.count > prefix.utf8.count && zip(bytes, prefix.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
}
