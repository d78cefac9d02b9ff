/// The query language: parses queries into plans and request options.
package enum RequestLanguage {
    /// Whether a name belongs to the language; such a name is an error in `forward-query`.
    package static func isReserved(_ name: String) -> Bool {
        ParameterRole(of: name) != nil
    }

    /// Parses a raw query, without the `?`.
    ///
    /// - Throws: 400, naming the parameter.
    package static func parse(query: String, options: ParseOptions) throws(RequestError) -> ParsedQuery {
        try parse(query: Array(query.utf8), options: options)
    }

    /// Parses the bytes of a raw query, without the `?`.
    ///
    /// - Throws: 400, naming the parameter.
    package static func parse(query: [UInt8], options: ParseOptions) throws(RequestError) -> ParsedQuery {
        do throws(RequestError) {
            var reader = QueryReader(options: options)
            for pair in try QueryPair.split(query) { try reader.read(pair) }
            return try reader.finish(query: query)
        } catch {
            throw aboutSeparators(error, in: query)
        }
    }

    /// The same error, with the separator of parameters if the invalid pair seems to contain several.
    private static func aboutSeparators(_ error: RequestError, in query: [UInt8]) -> RequestError {
        guard error.status == .malformed, query.contains(UInt8(ascii: ";")) else { return error }
        let pairs = String(decoding: query, as: UTF8.self).split(separator: "&")
        guard let pair = pairs.first(where: { QueryFilter.name(of: $0) == error.parameter }),
            pair.split(separator: ";").dropFirst().contains(where: { isReserved(QueryFilter.name(of: $0)) })
        else { return error }
        return RequestError(parameter: error.parameter, reason: error.reason + "; use & between parameters, not ;")
    }
}

/// The settings of a source that affect how queries are parsed.
package struct ParseOptions: Sendable {
    /// Which other parameters are forwarded to the origin, raw, and which are ignored; names of the language are neither.
    package var query: QueryFilter
    /// The presets by name.
    package var presets: [String: Preset]
    /// The source's default preset, applied before every query that neither contains `preset=none` nor names it itself.
    package var sourcePreset: Preset?
    /// Whether the request is for `/fetch`, the only path that accepts `url`, `url64` and `enc`.
    package var takesURL: Bool
    /// The `dpr` of a resize that the name of the requested file states (`ScaleSuffix`); `nil` for none.
    package var nameRatio: Int?
    /// The settings for `w=auto` and `dpr=auto`; `nil` rejects both.
    package var hints: ClientHintOptions?
    /// The limits for queries without `sig`; `nil` for none.
    package var unsigned: UnsignedLimits?
    /// Whether something else than `sig` signs the request, so that it counts as signed: a signature of another server's language.
    package var isVouchedFor = false
    /// Whether queries that the limits do not allow are refused; otherwise the limits only replace values.
    package var enforcesUnsigned = true

    /// Creates options; by default nothing is forwarded or ignored and there are no presets.
    package init(
        forwardNames: Set<String> = [],
        ignoreNames: Set<String> = [],
        presets: [String: Preset] = [:],
        sourcePreset: Preset? = nil,
        takesURL: Bool = false,
        hints: ClientHintOptions? = nil
    ) {
        query = QueryFilter(forward: forwardNames, ignore: ignoreNames)
        self.presets = presets
        self.sourcePreset = sourcePreset
        self.takesURL = takesURL
        self.hints = hints
    }
}

/// A parsed query.
package struct ParsedQuery: Hashable, Sendable {
    package let plan: Plan
    /// The names of the applied presets: the source's first, then those of the query.
    package let presets: [String]
    /// The names of the parameters of the plan that the query itself, or the name of the requested file, states.
    package let statedNames: Set<String>
    /// Whether the plan is that of presets, and nothing of it is the client's.
    package var isPresetPlan: Bool { !presets.isEmpty && statedNames.isEmpty }
    /// Whether the query requests no transform: the original bytes are served, without negotiation.
    ///
    /// Forwarded and ignored parameters, `filename`, `download`, `timing`, `exp`, `sig`, `scope`, `refresh`, `retry`,
    /// `wait-store` and `preset=none` request no transform.
    package let isBare: Bool
    /// The pairs to forward to the origin, raw and in order, joined by `&`, and those of them that are part of the cache key.
    package let forwarded: QueryFilter.Outcome
    /// The pairs to forward to the origin; empty if there are none.
    package var forwardedQuery: String { forwarded.sent }
    /// The URL to fetch; present exactly if the request is for `/fetch`.
    package let url: RemoteURL?
    /// The file name to suggest in `Content-Disposition`; without path separators.
    package let filename: String?
    /// Whether the client should save the response instead of displaying it.
    package let download: Bool
    /// Whether to contact the origin even if a stored response is fresh (`refresh=1`); only signed requests may.
    package let refresh: Bool
    /// Whether to ignore remembered failures (`retry=1`); only signed requests may.
    package let retry: Bool
    /// Whether the response waits until it is stored on disk (`wait-store=1`); only signed requests may.
    package let waitStore: Bool
    /// Whether the response reports how long its stages took.
    package let timing: Bool
    /// The expiry time of the request, in seconds since 1970.
    package let expires: Int64?
    /// The signature, decoded once; not verified here.
    package let signature: String?
    /// Whether the request states a signature: its `sig`, or one that `ParseOptions.isVouchedFor` tells of; not verified here.
    package let isSigned: Bool
    /// What the signature permits (`scope`); `nil` for a signature over the whole query.
    package let scope: SignatureScope?
    /// The first parameter that `scope` does not permit, or requires; the signature is not verified here.
    package let scopeViolation: RequestError?
    /// The part of the signed text after the raw path and `?`: the raw query without the `sig` pair, or with `scope` the raw pairs
    /// `scope` and `exp` alone, in their order.
    ///
    /// The two kinds of texts are disjoint: one contains a pair named `scope`, and the other does not.
    package let signedQuery: String
    /// The hints the result depends on: `.width` for `w=auto`, `.dpr` for `dpr=auto`.
    package let hints: Set<ClientHint>
}

/// The URL of a `/fetch` request as its query contains it, decoded from the query once.
package enum RemoteURL: Hashable, Sendable {
    /// `url`.
    case plain(String)
    /// `url64`: unpadded base64url.
    case base64(String)
    /// `enc`: encrypted, as unpadded base64url.
    case encrypted(String)

    /// The parameters, in the order of the cases.
    package static let names = ["url", "url64", "enc"]

    /// The parameter.
    package var name: String {
        switch self {
        case .plain: "url"
        case .base64: "url64"
        case .encrypted: "enc"
        }
    }
}
