/// Sorts a query's pairs into parameters of the plan, parameters of the request, and pairs to forward to the origin.
struct QueryReader {
    private let options: ParseOptions
    private var parts: [PlanParameters.Part] = []
    private var forwarded: [(name: String, raw: String, use: QueryFilter.Use)] = []
    private var requestValues: [String: Parameter] = [:]
    private var usesSourcePreset = true
    private var hints: Set<ClientHint> = []
    private var pairs: [QueryPair] = []

    /// The longest `filename` in bytes, a limit of most file systems.
    private static let longestFilename = 255

    /// Creates a reader without pairs.
    init(options: ParseOptions) {
        self.options = options
    }

    /// Reads the next pair; throws 400 for an unknown name.
    mutating func read(_ pair: QueryPair) throws(RequestError) {
        pairs.append(pair)
        switch ParameterRole(of: pair.name) {
        case .request:
            try readRequestValue(try pair.parameter())
        case .some(let role):
            parts.append(.own(try resolved(try pair.parameter()), role))
        case nil:
            if let use = options.query.use(of: pair.name) {
                forwarded.append((pair.name, pair.raw, use))
                return
            }
            let hint = ParameterRole.hint(pair.name, among: Set(options.query.names))
            throw RequestError(parameter: pair.name, reason: "is not a known parameter\(hint)")
        }
    }

    /// The parameter, with `auto` replaced by the value from the client hints.
    private mutating func resolved(_ parameter: Parameter) throws(RequestError) -> Parameter {
        guard parameter.value == "auto", parameter.name == "w" || parameter.name == StepContext.dprName else {
            return parameter
        }
        guard let value = options.hints?.value(of: parameter.name) else {
            throw parameter.error("cannot be auto: the source does not use this client hint (client-hints)")
        }
        hints.insert(value.hint)
        return value.parameter
    }

    private mutating func readRequestValue(_ parameter: Parameter) throws(RequestError) {
        guard requestValues.updateValue(parameter, forKey: parameter.name) == nil else {
            throw parameter.error("is given more than once")
        }
        switch parameter.name {
        case "preset" where parameter.value == "none":
            usesSourcePreset = false
        case "preset":
            guard let preset = options.presets[parameter.value] else {
                let hint = NearestName.hint(parameter.value, among: options.presets.keys.sorted())
                throw parameter.error("there is no preset '\(parameter.value.prefix(Preset.longestName))'\(hint)")
            }
            parts.append(.preset(preset))
        case "url" where !options.takesURL, "url64" where !options.takesURL, "enc" where !options.takesURL:
            throw parameter.error("is only allowed for /fetch")
        default:
            break
        }
    }

    /// Parses all values.
    func finish(query: [UInt8]) throws(RequestError) -> ParsedQuery {
        let url = try remoteURL()
        let parameters = try planParameters()
        let scope = try requestValues[SignatureScope.name].map { (value) throws(RequestError) in
            try SignatureScope(parsing: value)
        }
        return ParsedQuery(
            plan: try parameters.plan(),
            presets: presetNames,
            statedNames: Set(
                parts.compactMap { if case .own(let own, _) = $0 { own.name } else { nil } }
                    + (options.nameRatio != nil && parameters.hasSize ? [StepContext.dprName] : [])
            ),
            isBare: parameters.isEmpty,
            forwarded: options.query.outcome(forwarded),
            url: url,
            filename: try filename(),
            download: try requestValues["download"]?.flag() ?? false,
            refresh: try requestValues["refresh"]?.flag() ?? false,
            retry: try requestValues["retry"]?.flag() ?? false,
            waitStore: try requestValues["wait-store"]?.flag() ?? false,
            timing: try requestValues["timing"]?.flag() ?? false,
            expires: try requestValues["exp"].map { (exp) throws(RequestError) in try Self.seconds(exp) },
            signature: requestValues["sig"]?.value,
            isSigned: isSigned,
            scope: scope,
            scopeViolation: scope?.refusal(of: pairs),
            signedQuery: signedQuery(query, isScoped: scope != nil),
            hints: hints
        )
    }

    private func remoteURL() throws(RequestError) -> RemoteURL? {
        guard options.takesURL else { return nil }
        let given = RemoteURL.names.compactMap { requestValues[$0] }
        guard let first = given.first else { throw RequestError(parameter: "url", reason: "is missing") }
        if given.count > 1 { throw given[1].error("cannot be combined with \(first.name)") }
        return switch first.name {
        case "url64": .base64(first.value)
        case "enc": .encrypted(first.value)
        default: .plain(first.value)
        }
    }

    private var isSigned: Bool { options.isVouchedFor || requestValues["sig"] != nil }

    /// The names of the query's own presets.
    private var ownPresetNames: [String] {
        parts.compactMap { part in
            if case .preset(let preset) = part { preset.name } else { nil }
        }
    }

    /// The source's preset if it comes before the query: `nil` if the query turns it off, or names it itself, in its own place.
    private var leadingPreset: Preset? {
        guard usesSourcePreset, let preset = options.sourcePreset, !ownPresetNames.contains(preset.name) else {
            return nil
        }
        return preset
    }

    private var presetNames: [String] { (leadingPreset.map { [$0.name] } ?? []) + ownPresetNames }

    /// The parameters of the plan, including presets, before their values are parsed.
    func planParameters() throws(RequestError) -> PlanParameters {
        var parameters = PlanParameters()
        if let preset = leadingPreset {
            try parameters.append(preset.parameters, origin: .sourcePreset(preset.name))
        }
        try parameters.append(parts)
        if let ratio = options.nameRatio {
            for case .own(let parameter, _) in parts where parameter.name == StepContext.dprName {
                throw parameter.error("cannot be combined with @\(ratio)x in the name of the file")
            }
            // Without a size there is nothing to multiply.
            if parameters.hasSize {
                try parameters.append([Parameter(StepContext.dprName, String(ratio))], origin: .fileName)
            }
        }
        if let limits = options.unsigned, !isSigned {
            let isPreset = !presetNames.isEmpty
            try parameters.limit(to: limits, isPreset: isPreset, isEnforced: options.enforcesUnsigned)
        }
        return parameters
    }

    private func filename() throws(RequestError) -> String? {
        guard let parameter = requestValues["filename"] else { return nil }
        let name = parameter.value
        guard name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(UInt8(ascii: "\\"))
        else {
            throw parameter.error("must be a file name without a path")
        }
        guard name.utf8.count <= Self.longestFilename else {
            throw parameter.error("is longer than \(Self.longestFilename) bytes")
        }
        return name
    }

    private static func seconds(_ parameter: Parameter) throws(RequestError) -> Int64 {
        guard parameter.value.utf8.count <= 12, parameter.value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let seconds = Int64(parameter.value)
        else {
            throw parameter.error("must be a time in whole seconds since 1970")
        }
        return seconds
    }

    private func signedQuery(_ query: [UInt8], isScoped: Bool) -> String {
        guard !isScoped else {
            return pairs.filter { ["exp", SignatureScope.name].contains($0.name) }.map(\.raw).joined(separator: "&")
        }
        return requestValues["sig"] == nil ? String(decoding: query, as: UTF8.self) : Self.withoutSignature(query)
    }

    /// The raw query without the signature and its `&`.
    private static func withoutSignature(_ query: [UInt8]) -> String {
        let ampersand = UInt8(ascii: "&")
        let kept = query.split(separator: ampersand, omittingEmptySubsequences: false).filter { pair in
            (try? PercentCoding.decode(pair.prefix { $0 != UInt8(ascii: "=") })) != "sig"
        }
        return String(decoding: Array(kept.joined(separator: [ampersand])), as: UTF8.self)
    }
}
