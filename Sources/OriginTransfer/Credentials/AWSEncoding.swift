import HTTPSemantics

/// The one spelling of paths and queries that AWS Signature Version 4 signs ("UriEncode" of its documentation).
///
/// Letters, digits, `-`, `.`, `_` and `~` stand for themselves (RFC 3986 §2.3), all other bytes are `%XX` in upper case.
enum AWSEncoding {
    /// A decoded path; slashes stay.
    static func path(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: true) }

    /// A raw query with each name and value in that spelling, in the order given; what is in it stays apart by `&` and `=`.
    static func query(_ raw: String) -> String {
        pairs(raw).map { pair in pair.value.map { "\(pair.name)=\($0)" } ?? pair.name }.joined(separator: "&")
    }

    /// A raw query as it is signed: by name, then by value, each name with its `=`.
    static func canonicalQuery(_ raw: String) -> String {
        pairs(raw).map { (name: $0.name, value: $0.value ?? "") }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    private static func pairs(_ raw: String) -> [(name: String, value: String?)] {
        raw.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { encode(PercentEncoding.decode($0), keepsSlashes: false) }
            return (texts.first ?? "", texts.count > 1 ? texts[1] : nil)
        }
    }

    private static func encode(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
        PercentEncoding.encode(bytes) { byte in
            PercentEncoding.isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/")
        }
    }
}
