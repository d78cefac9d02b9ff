/// The language of queries: which names it has, and what a query means.
package enum RequestLanguage {
    /// Whether a name belongs to the language: naming it in `forward-query` is a mistake.
    package static func isReserved(_ name: String) -> Bool {
        ParameterRole(of: name) != nil
    }

    /// Reads a raw query, without the `?`.
    ///
    /// - Throws: 400, naming the parameter.
    package static func parse(query: String, options: ParseOptions) throws(RequestError) -> ParsedQuery {
        try parse(query: Array(query.utf8), options: options)
    }

    /// Reads the bytes of a raw query, without the `?`.
    ///
    /// - Throws: 400, naming the parameter.
    package static func parse(query: [UInt8], options: ParseOptions) throws(RequestError) -> ParsedQuery {
        var reader = QueryReader(options: options)
        for pair in try QueryPair.split(query) { try reader.read(pair) }
        return try reader.finish(query: query)
    }
}

/// What a source's configuration says about the queries that reach it.
package struct ParseOptions: Sendable {
    /// Parameters that go upstream raw and in their order; never names of the language (`RequestLanguage.isReserved`).
    package var forwardNames: Set<String>
    /// Parameters that are dropped; names of the language are never ignored.
    package var ignoreNames: Set<String>
    /// What `preset=NAME` stands for.
    package var presets: [String: Preset]
    /// Stands before every query of the source, unless `preset=none` turns it off.
    package var sourcePreset: Preset?
    /// Whether the request is for `/fetch`, the only path that `url` belongs to.
    package var takesURL: Bool
    /// What `w=auto` and `dpr=auto` stand for; `nil` where they are refused.
    package var hints: ClientHintOptions?

    /// Creates options; nothing forwarded, nothing ignored and no presets where nothing is given.
    package init(
        forwardNames: Set<String> = [],
        ignoreNames: Set<String> = [],
        presets: [String: Preset] = [:],
        sourcePreset: Preset? = nil,
        takesURL: Bool = false,
        hints: ClientHintOptions? = nil
    ) {
        self.forwardNames = forwardNames
        self.ignoreNames = ignoreNames
        self.presets = presets
        self.sourcePreset = sourcePreset
        self.takesURL = takesURL
        self.hints = hints
    }
}

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
