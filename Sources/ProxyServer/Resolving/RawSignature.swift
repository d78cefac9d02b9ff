import ImagePlan

/// The query of a raw request if signatures are required, split into `sig` and `exp` and the origin's part.
struct RawSignature: Sendable {
    /// `sig`, or `nil`.
    let signature: String?
    /// `exp`, seconds since 1970.
    let expires: Int64?
    /// The signed query, without `sig`.
    let unsigned: [UInt8]
    /// The forwarded query, or `nil` if it is empty.
    let rest: [UInt8]?

    /// Splits a raw query.
    ///
    /// - Throws: `RequestError` if `sig` or `exp` is invalid or repeated.
    init(_ query: [UInt8]) throws(RequestError) {
        let ampersand = UInt8(ascii: "&")
        let pairs = query.split(separator: ampersand, omittingEmptySubsequences: false)
        func name(_ pair: ArraySlice<UInt8>) -> String {
            String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        }
        let own = Array(pairs.filter { ["sig", "exp"].contains(name($0)) }.joined(separator: [ampersand]))
        let parsed = try RequestLanguage.parse(query: own, options: ParseOptions())
        signature = parsed.signature
        expires = parsed.expires
        unsigned = Array(pairs.filter { name($0) != "sig" }.joined(separator: [ampersand]))
        let rest = Array(pairs.filter { !["sig", "exp"].contains(name($0)) }.joined(separator: [ampersand]))
        self.rest = rest.isEmpty ? nil : rest
    }
}
