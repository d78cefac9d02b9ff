/// What a query means.
package struct ParsedQuery: Hashable, Sendable {
    package let plan: Plan
    /// Names of the presets that had their say: the source's, then the query's own.
    package let presets: [String]
    /// Whether nothing speaks of the picture: the original bytes are asked, without negotiation.
    ///
    /// Forwarded and ignored parameters, `filename`, `download`, `timing`, `exp`, `sig`, `refresh` and `preset=none` say nothing of
    /// the picture.
    package let isBare: Bool
    /// The pairs for upstream, as they came and in their order; joined by `&`, empty where there are none.
    package let forwardedQuery: String
    /// `url`, decoded once; there exactly where the options say that the request is for `/fetch`.
    package let url: String?
    /// The name that the answer suggests; without path separators.
    package let filename: String?
    /// Whether the answer is to be saved and not shown.
    package let download: Bool
    /// Whether the origin is to be asked whatever is stored (`refresh=1`), which only a signed request may demand.
    package let refresh: Bool
    /// Whether the answer is to tell how long its stages took.
    package let timing: Bool
    /// Seconds since 1970 at which the request ends to be valid.
    package let expires: Int64?
    /// The signature as it came, decoded once; not verified here.
    package let signature: String?
    /// The raw query without the `sig` pair, exactly as sent: what is signed, behind the raw path and `?`.
    package let unsignedQuery: String
    /// What is left to the client's hints: `.width` for `w=auto`, `.dpr` for `dpr=auto`.
    package let hints: Set<ClientHint>
}
