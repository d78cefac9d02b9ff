import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Resolves a request target to the requested variants: parses path and query once, strictly, and applies the source's rules.
struct RequestResolver: Sendable {
    let table: SourceTable
    /// The signature checks; `nil` to resolve any request, for explaining and building.
    let permission: RequestPermission?
    let time: any TimeSource
    /// Whether `sig` and `exp` in queries of raw sources are signature parameters, which is so if signatures are required.
    let signsRaw: Bool
    /// The settings of response fields.
    let answers: Configuration.Answers
    /// The encoded CORS fields, which all requests share.
    private let crossOrigin: [UInt8]
    /// The conditions of rules on request fields that the request fulfils.
    var traits = RequestTraits()
    /// Whether rules that deny requests are enforced.
    var enforcesRules = true
    /// The tiers of all variants with a plan, in place of those of sources, rules and presets; `nil` for these.
    var variantTiers: CacheTiers?

    init(
        table: SourceTable,
        permission: RequestPermission?,
        signsRaw: Bool,
        answers: Configuration.Answers,
        time: any TimeSource
    ) {
        self.answers = answers
        crossOrigin = answers.cors.fields
        self.table = table
        self.permission = permission
        self.signsRaw = signsRaw
        self.time = time
    }

    /// Creates a resolver from a validated configuration.
    ///
    /// - Parameters:
    ///   - mount: the beginning of the site's paths, which signatures cover.
    ///   - numbers: the sources' numbers for statistics; `nil` outside the daemon.
    /// - Throws: `RequestError` for an invalid preset, which validation has excluded.
    init(
        _ configuration: Configuration,
        time: any TimeSource,
        mount: String = "",
        numbers: SourceNumbers? = nil
    ) throws(RequestError) {
        var table = try SourceTable(configuration)
        if let numbers { table.assign(numbers) }
        self.init(
            table: table,
            permission: RequestPermission(configuration.signing, mount: mount),
            signsRaw: configuration.signing.required,
            answers: configuration.answers,
            time: time
        )
    }

    /// The same without access rules, for explaining, building and purging.
    var withoutGuards: RequestResolver {
        var table = table
        for name in table.sources.keys { table.sources[name]?.rule.originals = .serve }
        var resolver = RequestResolver(
            table: table,
            permission: nil,
            signsRaw: signsRaw,
            answers: answers,
            time: time
        )
        resolver.traits = traits
        resolver.enforcesRules = false
        return resolver
    }

    /// The same without signatures and other permissions, for requests of the operator; what a source serves is unchanged.
    var withoutPermission: RequestResolver {
        RequestResolver(table: table, permission: nil, signsRaw: signsRaw, answers: answers, time: time)
    }

    /// The same for a request that fulfils some conditions of rules.
    func with(_ traits: RequestTraits) -> RequestResolver {
        guard traits != self.traits else { return self }
        var resolver = self
        resolver.traits = traits
        return resolver
    }

    /// Resolves a target in origin-form.
    ///
    /// - Parameters:
    ///   - target: the raw path and query.
    ///   - hints: the values of `w=auto` and `dpr=auto`, or `nil` for their defaults.
    ///   - cookie: the client's cookies that the source forwards.
    /// - Throws: `Problem` with the invalid parameter.
    func resolve(
        _ target: [UInt8],
        hints: HintValues? = nil,
        cookie: String? = nil
    ) throws(Problem) -> ResolvedRequest {
        let own = try own(target)
        let path: RequestPath?
        do {
            path = try RequestPath.parse(own.path)
        } catch {
            throw Problem(error)
        }
        guard let path else { throw Self.noSource(own.path[...], table) }
        if path.source == "fetch", !path.rawPath.isEmpty {
            throw Problem(404, "/fetch has no path; use url=.")
        }
        let entry = table.sources[path.source]
        guard path.source == "fetch" || entry != nil else { throw table.unknown(path.source) }
        do throws(Problem) {
            guard let entry else { return try remote(own) }
            return try local(entry, path, own, hints, cookie)
        } catch {
            throw error.ofSource
        }
    }

    private func local(
        _ entry: SourceTable.Entry,
        _ path: RequestPath,
        _ own: OwnTarget,
        _ hints: HintValues?,
        _ cookie: String?
    ) throws(Problem) -> ResolvedRequest {
        var ruled = ruled(entry, path)
        let entry = ruled.entry
        var options = entry.options
        if let hints { options.hints?.values = hints }
        let parsed = try parse(own, options)
        ruled.signingKey = try permission?.check(parsed, path: own.path, own.foreign)
        try checkUse(parsed, ruled)
        try checkAccess(ruled)
        do {
            let origin = try origin(of: ruled, parsed.forwarded, cookie: cookie)
            let segment = own.isEncrypted ? nil : path.segments.last
            let (hints, fallback) = (entry.options.hints, entry.fallback)
            return try request(origin, parsed, hints: hints, fallback: fallback, ruled, segment: segment)
        } catch {
            throw Problem(resolving: error)
        }
    }

    /// The original of a source at a path.
    ///
    /// - Throws: `RequestError` for an invalid path, `Problem` for a source without paths.
    func origin(
        of rule: SourceRule,
        _ path: RequestPath,
        _ query: QueryFilter.Outcome = QueryFilter.Outcome(),
        cookie: String? = nil
    ) throws -> OriginRequest {
        func request(_ text: (String) -> String) throws -> OriginRequest {
            OriginRequest(
                source: rule,
                url: try OriginURL(ofTarget: text(query.sent)),
                keyed: query.sent == query.keyed ? nil : try OriginURL(ofTarget: text(query.keyed)),
                cookie: cookie
            )
        }
        switch rule.location {
        case .http(let prefix): return try request { prefix + path.rawPath + suffix($0, prefix: prefix) }
        case .bucket(let bucket): return try request { bucket.url(rawPath: path.rawPath, rawQuery: $0) }
        case .file:
            return OriginRequest(source: rule, file: try path.filePath())
        case .remote:
            throw table.unknown(path.source)
        }
    }

    /// The 404 for a path whose first segment is not a valid source name.
    private static func noSource(_ rawPath: ArraySlice<UInt8>, _ table: SourceTable) -> Problem {
        let segment = rawPath.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        guard !segment.isEmpty else {
            return Problem(404, "There is no image at /. Use /NAME/PATH or /fetch?url=URL.")
        }
        return table.unknown(String(decoding: segment, as: UTF8.self))
    }

    func parse(_ target: OwnTarget, _ options: ParseOptions) throws(Problem) -> ParsedQuery {
        var options = options
        options.isVouchedFor = target.foreign?.isSigned ?? false
        // Without permissions nothing is refused, but requests mean what they mean to clients.
        if permission == nil { options.enforcesUnsigned = false }
        do {
            return try RequestLanguage.parse(query: target.query, options: options)
        } catch {
            throw Problem(error)
        }
    }

    /// The forwarded parameters as a query suffix for a prefix, which may already have a query.
    private func suffix(_ forwardedQuery: String, prefix: String) -> String {
        forwardedQuery.isEmpty ? "" : (prefix.contains("?") ? "&" : "?") + forwardedQuery
    }

    func request(
        _ origin: OriginRequest,
        _ parsed: ParsedQuery,
        hints: ClientHintOptions? = nil,
        fallback: ConfiguredSource.Fallback? = nil,
        _ ruled: RuledSource,
        segment: String? = nil
    ) throws(Problem) -> ResolvedRequest {
        guard !parsed.isBare || origin.source.originals != .refuse else {
            throw Problem(403, "This source does not serve its originals.")
        }
        // If originals are served without metadata, or not at all, other sizes must not reveal it.
        let isKept = !parsed.isBare && parsed.plan.settings.metadata == .keep
        guard permission == nil || origin.source.originals == .serve || !isKept else {
            throw Problem(403, "This source does not serve metadata; meta=copyright is allowed.", parameter: "meta")
        }
        guard !parsed.timing || permission == nil || parsed.isSigned else {
            throw Problem(403, "timing=1 requires a signature.", parameter: "timing")
        }
        if let refusal = Self.refusal(of: parsed.plan.settings.format, by: origin.source) { throw refusal }
        let auxiliaries = try auxiliaries(of: parsed, within: origin.source)
        let vary = varyField(ruled, parsed.plan, fallback)
        return ResolvedRequest(
            choice(origin, parsed, auxiliaries),
            saving: savesData(origin.source, parsed)
                ? choice(origin, parsed, auxiliaries, saving: origin.source.saveDataStep) : nil,
            hints: parsed.hints.isEmpty ? nil : hints.map { RequestHints(used: parsed.hints, options: $0) },
            disposition: ContentDisposition(
                filename: parsed.filename,
                isDownload: parsed.download,
                segment: segment
            ),
            crossOrigin: vary.isEmpty ? crossOrigin : crossOrigin + vary,
            tellsTiming: answers.serverTiming || parsed.timing,
            expires: parsed.expires,
            cookies: origin.source.forwardCookies,
            isPersonal: origin.cookie != nil,
            options: SignedOptions(parsed),
            fallback: fallback.flatMap { standIn($0, parsed, auxiliaries) },
            rules: ruled.request,
            tag: table.tags[origin.source.name] ?? 0
        )
    }

    /// Refuses a requested format that the source does not write.
    private static func refusal(of setting: FormatSetting, by source: SourceRule) -> Problem? {
        guard let format = setting.image, !source.formats[format].writes else { return nil }
        let use = source.formats[format].rawValue
        return Problem(400, "This source does not write \(format) (formats.\(format) is \(use)).", parameter: "format")
    }

    /// The same request for the fallback image; `nil` if its source does not exist, which validation has excluded.
    private func standIn(
        _ fallback: ConfiguredSource.Fallback,
        _ parsed: ParsedQuery,
        _ auxiliaries: [Auxiliary]
    ) -> ResolvedRequest.StandInPicture? {
        guard let origin = standInOrigin(fallback.image) else { return nil }
        return ResolvedRequest.StandInPicture(
            choice: choice(origin, parsed, auxiliaries),
            status: fallback.status,
            ttl: fallback.ttl
        )
    }

    /// The original of a fallback image: a path on this server, or a `data:` URL.
    private func standInOrigin(_ image: String) -> OriginRequest? {
        guard !DataURL.isOne(image) else {
            var rule = table.remote.rule
            rule.isRaw = false
            return (try? DataURL(image)).map { OriginRequest(source: rule, data: $0) }
        }
        guard let path = try? RequestPath.parse(Array(image.utf8)), let entry = table.sources[path.source] else {
            return nil
        }
        return try? origin(of: ruled(entry, path))
    }

    /// Whether `Save-Data` affects the response: for lossy results at a default quality.
    private func savesData(_ source: SourceRule, _ parsed: ParsedQuery) -> Bool {
        let settings = parsed.plan.settings
        return !parsed.isBare && source.saveDataStep > 0 && settings.quality == .standard
            && settings.format.isLossyPossible && !settings.encoding.isLossless
    }

    /// - Parameter step: the amount by which the source's qualities are lowered.
    private func choice(
        _ origin: OriginRequest,
        _ parsed: ParsedQuery,
        _ auxiliaries: [Auxiliary],
        saving step: Int = 0
    ) -> ResolvedRequest.Choice {
        guard !parsed.isBare else {
            let plan = origin.source.originals == .clean ? MetadataCleaner.planText : nil
            let bare = VariantRequest(origin: origin, plan: plan, bucket: nil)
            guard origin.source.transcodesOriginals, origin.source.formats[.jxl].writes else { return .fixed(bare) }
            let jxl = VariantRequest(origin: origin, plan: plan, bucket: .jxl)
            return .negotiated(rest: bare, webp: bare, avif: bare, jxl: jxl, avifJXL: jxl)
        }
        var plan = parsed.plan.canonicalText
        if parsed.plan.settings.format == .json, origin.source.originals != .serve {
            // Descriptions must not reveal what originals do not.
            plan = PictureDescription.cleanPlan(plan)
        }
        // The query's preset takes precedence over the source's.
        let tiers = variantTiers ?? parsed.presets.reversed().lazy.compactMap { table.presetTiers[$0] }.first
        let quality = step > 0 ? origin.source.quality.lowered(by: step) : origin.source.quality
        func variant(_ bucket: FormatBucket?) -> VariantRequest {
            VariantRequest(
                origin: origin,
                plan: plan,
                bucket: bucket,
                tiers: tiers,
                presets: parsed.presets,
                isPresetPlan: parsed.isPresetPlan,
                outputPixels: !parsed.isSigned && !parsed.isPresetPlan
                    ? origin.source.unsigned.limits?.pixels : nil,
                quality: quality,
                auxiliaries: auxiliaries
            )
        }
        guard parsed.plan.settings.format == .auto else { return .fixed(variant(nil)) }
        let webp = variant(.webp)
        // Requests that never get a format share the variant of clients that do not accept it.
        let isLossless = AVIFTiming.isLossless(parsed.plan, quality)
        let hasAVIF = origin.source.avif.isAuto && !isLossless
        let hasJXL = origin.source.formats[.jxl].writes && !isLossless
        let avif = hasAVIF ? variant(.avif) : webp
        let jxl = hasJXL ? variant(.jxl) : webp
        return .negotiated(
            rest: variant(.rest),
            webp: webp,
            avif: avif,
            jxl: jxl,
            avifJXL: hasAVIF && hasJXL ? variant(.avifJXL) : hasAVIF ? avif : jxl
        )
    }
}

extension OriginURL {
    /// Parses a URL that a request names.
    ///
    /// - Parameter parameter: the query parameter, or `path`, that the URL comes from.
    /// - Throws: 400, naming the parameter and what is wrong with the URL.
    init(_ text: String, of parameter: String) throws(RequestError) {
        do throws(Defect) {
            try self.init(text)
        } catch {
            throw RequestError(parameter: parameter, reason: error.reason)
        }
    }

    /// Parses a URL that the path and the query of a request make.
    ///
    /// - Throws: 400, naming `query` if the URL is valid without its query, and `path` otherwise.
    init(ofTarget text: String) throws(RequestError) {
        do throws(Defect) {
            try self.init(text)
        } catch {
            let path = text.unicodeScalars.prefix { $0 != "?" }
            let isPathValid = (try? OriginURL(String(path))) != nil
            throw RequestError(parameter: isPathValid ? "query" : "path", reason: error.reason)
        }
    }
}

extension Problem {
    /// A request that violates the request language.
    init(_ error: RequestError) {
        switch error.status {
        case .malformed: self.init(400, error.description, parameter: error.parameter)
        case .forbidden: self.init(403, error.description, parameter: error.parameter)
        case .unprocessable: self.init(422, error.description, parameter: error.parameter)
        }
    }

    /// What ended a resolution: a `Problem`, or a `RequestError`.
    init(resolving error: any Error) {
        switch error {
        case let error as RequestError: self.init(error)
        case let problem as Problem: self = problem
        default: self.init(500, "The request could not be resolved.")
        }
    }
}
