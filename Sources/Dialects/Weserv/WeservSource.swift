/// The address of an image in `url=`, which may lack its scheme.
enum WeservSource {
    /// The absolute URL: without a scheme `http`, after `ssl:` or `//` `https`; a fragment is dropped.
    ///
    /// - Parameter text: the value, decoded once.
    /// - Returns: `nil` if there is no host.
    static func url(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let prefixes = [("http://", "http"), ("https://", "https"), ("ssl:", "https"), ("//", "https")]
        let found = prefixes.first { starts(bytes, with: $0.0) }
        var rest = bytes.dropFirst(found?.0.utf8.count ?? 0)
        rest = rest.drop { $0 == UInt8(ascii: "/") }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        guard let first = rest.first, first != UInt8(ascii: "?") else { return nil }
        return "\(found?.1 ?? "http")://\(String(decoding: rest, as: UTF8.self))"
    }

    /// Whether bytes start with a text in ASCII, in either case.
    private static func starts(_ bytes: [UInt8], with prefix: String) -> Bool {
        bytes.count > prefix.utf8.count && zip(bytes, prefix.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
}
