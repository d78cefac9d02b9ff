import ImagePlan

/// What of a raw request's query is ours where signatures are required: `sig` and `exp`; all else is the origin's.
struct RawSignature: Sendable {
    /// `sig`; `nil` where there is none.
    let signature: String?
    /// `exp`, seconds since 1970.
    let expires: Int64?
    /// The query that was signed: without `sig`.
    let unsigned: [UInt8]
    /// The query that goes upstream; `nil` where nothing is left.
    let rest: [UInt8]?

    /// Takes a raw query apart.
    ///
    /// - Throws: `RequestError` where `sig` or `exp` is none, or stands twice.
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
