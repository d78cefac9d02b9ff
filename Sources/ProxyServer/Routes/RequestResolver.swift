import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// Turns a request target into the variants that it asks for: path, query, source and plan, parsed once, strictly.
struct RequestResolver: Sendable {
    let table: SourceTable
    /// `nil` where who asks does not matter: for explaining and building requests.
    let permission: RequestPermission?
    let time: any TimeSource
    /// Whether `sig` and `exp` of raw sources' queries are ours: where signatures are required.
    let signsRaw: Bool
    /// What answers say beside the picture.
    let answers: Configuration.Answers

    init(
        table: SourceTable,
        permission: RequestPermission?,
        signsRaw: Bool,
        answers: Configuration.Answers,
        time: any TimeSource
    ) {
        self.answers = answers
        self.table = table
        self.permission = permission
        self.signsRaw = signsRaw
        self.time = time
    }

    /// Understands requests as a validated configuration says.
    ///
    /// - Throws: `RequestError` when a preset's text is not of the request language, which validation has excluded.
    init(_ configuration: Configuration, time: any TimeSource) throws(RequestError) {
        self.init(
            table: try SourceTable(configuration),
            permission: RequestPermission(configuration.signing),
            signsRaw: configuration.signing.required,
            answers: configuration.answers,
            time: time
        )
    }

    /// The same without the rules about who may ask and for what: for explaining, building and purging.
    var withoutGuards: RequestResolver {
        var table = table
        for name in table.sources.keys { table.sources[name]?.rule.originals = .serve }
        return RequestResolver(
            table: table,
            permission: nil,
            signsRaw: signsRaw,
            answers: answers,
            time: time
        )
    }

    /// Understands a target in origin-form.
    ///
    /// - Parameters:
    ///   - target: path and query, raw.
    ///   - hints: what `w=auto` and `dpr=auto` stand for; `nil` for what they are without hints.
    /// - Throws: `Problem`, naming the parameter that is wrong.
    func resolve(_ target: [UInt8], hints: HintValues? = nil) throws(Problem) -> ResolvedRequest {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let query = Array(target[min(mark + 1, target.count)...])
        // Absolute-form may come without a path (RFC 9110 §4.2.3).
        let rawPath = mark == 0 ? ArraySlice("/".utf8) : target[..<mark]
        let path: RequestPath?
        do {
            path = try RequestPath.parse(Array(rawPath))
        } catch {
            throw Problem(error)
        }
        guard let path else { throw Self.noSource(rawPath, table) }
        if path.source == "fetch", !path.rawPath.isEmpty {
            throw Problem(404, "/fetch takes no path; the URL goes into url=.")
        }
        let entry = table.sources[path.source]
        guard path.source == "fetch" || entry != nil else { throw table.unknown(path.source) }
        do throws(Problem) {
            guard let entry else { return try remote(rawPath, query: query) }
            return try local(entry, path, rawPath, query: query, hints)
        } catch {
            throw error.ofSource
        }
    }

    private func local(
        _ entry: SourceTable.Entry,
        _ path: RequestPath,
        _ rawPath: ArraySlice<UInt8>,
        query: [UInt8],
        _ hints: HintValues?
    ) throws(Problem) -> ResolvedRequest {
        var options = entry.options
        if let hints { options.hints?.values = hints }
        let parsed = try parse(query, options)
        try permission?.check(parsed, path: rawPath)
        do {
            let origin = try origin(of: entry.rule, path, forwardedQuery: parsed.forwardedQuery)
            return try request(origin, parsed, hints: entry.options.hints, fallback: entry.fallback)
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(500, "The request was not understood.")
        }
    }

    /// The original below a source that a path names.
    ///
    /// - Throws: `RequestError` for a path that none can have, `Problem` where paths name nothing.
    func origin(of rule: SourceRule, _ path: RequestPath, forwardedQuery: String) throws -> OriginRequest {
        switch rule.location {
        case .http(let prefix):
            let text = prefix + path.rawPath + suffix(forwardedQuery, prefix: prefix)
            let url = try OriginURL(text, parameter: "path")
            return OriginRequest(source: rule, target: url.text, identity: url.normalized)
        case .bucket(let bucket):
            let text = bucket.url(rawPath: path.rawPath, rawQuery: forwardedQuery)
            let url = try OriginURL(text, parameter: "path")
            return OriginRequest(source: rule, target: url.text, identity: url.normalized)
        case .file:
            let file = try path.filePath()
            return OriginRequest(source: rule, target: file, identity: file)
        case .remote:
            throw table.unknown(path.source)
        }
    }

    /// The 404 for a path whose first segment no source could have as its name.
    private static func noSource(_ rawPath: ArraySlice<UInt8>, _ table: SourceTable) -> Problem {
        let segment = rawPath.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        guard !segment.isEmpty else {
            return Problem(404, "There is no picture at /; a picture is asked for as /NAME/PATH or /fetch?url=URL.")
        }
        return table.unknown(String(decoding: segment, as: UTF8.self))
    }

    private func remote(_ rawPath: ArraySlice<UInt8>, query: [UInt8]) throws(Problem) -> ResolvedRequest {
        let parsed = try parse(query, table.remote.options)
        guard let text = parsed.url else { throw Problem(400, "url is missing.", parameter: "url") }
        let url: OriginURL
        do {
            url = try OriginURL(text)
        } catch {
            throw Problem(error)
        }
        try Self.checkUpstream(url)
        let isAllowed = table.allowedHosts.contains { $0.matches(url.host) }
        try permission?.checkRemote(parsed, path: rawPath, isAllowed: isAllowed)
        let origin = OriginRequest(source: table.remote.rule, target: url.text, identity: url.normalized)
        return try request(origin, parsed)
    }

    /// Refuses what a transfer takes for no URL, such as `http://1.2.3.4.5/`: no origin is to blame for that.
    static func checkUpstream(_ url: OriginURL) throws(Problem) {
        do throws(UpstreamURL.Defect) {
            _ = try UpstreamURL(url.text)
        } catch {
            throw Problem(400, "url: is malformed (\(error.rawValue))", parameter: "url")
        }
    }

    private func parse(_ query: [UInt8], _ options: ParseOptions) throws(Problem) -> ParsedQuery {
        do {
            return try RequestLanguage.parse(query: query, options: options)
        } catch {
            throw Problem(error)
        }
    }

    /// Forwarded parameters as a query, behind a prefix that may have one already.
    private func suffix(_ forwardedQuery: String, prefix: String) -> String {
        forwardedQuery.isEmpty ? "" : (prefix.contains("?") ? "&" : "?") + forwardedQuery
    }

    private func request(
        _ origin: OriginRequest,
        _ parsed: ParsedQuery,
        hints: ClientHintOptions? = nil,
        fallback: ConfiguredSource.Fallback? = nil
    ) throws(Problem) -> ResolvedRequest {
        guard !parsed.isBare || origin.source.originals != .refuse else {
            throw Problem(403, "This source does not give out its originals.")
        }
        // Where bare originals lose their metadata, or are not given out, nobody gets it by asking for another size.
        let isKept = !parsed.isBare && parsed.plan.settings.metadata == .keep
        guard permission == nil || origin.source.originals == .serve || !isKept else {
            throw Problem(403, "This source gives out no metadata; meta=copyright may be asked.", parameter: "meta")
        }
        guard !parsed.timing || permission == nil || parsed.signature != nil else {
            throw Problem(403, "timing=1 needs a signature.", parameter: "timing")
        }
        let ingredients = try ingredients(of: parsed.plan, within: origin.source)
        return ResolvedRequest(
            choice(origin, parsed, ingredients),
            saving: savesData(origin.source, parsed)
                ? choice(origin, parsed, ingredients, saving: origin.source.saveDataStep) : nil,
            hints: parsed.hints.isEmpty ? nil : hints.map { RequestHints(used: parsed.hints, options: $0) },
            disposition: ContentDisposition.field(filename: parsed.filename, download: parsed.download),
            crossOrigin: answers.cors.fields,
            tellsTiming: answers.serverTiming || parsed.timing,
            expires: parsed.expires,
            refreshes: parsed.refresh,
            fallback: fallback.flatMap { standIn($0, parsed, ingredients) }
        )
    }

    /// The same of the picture that stands in; `nil` where its source is gone, which validation has excluded.
    private func standIn(
        _ fallback: ConfiguredSource.Fallback,
        _ parsed: ParsedQuery,
        _ ingredients: [Ingredient]
    ) -> ResolvedRequest.StandInPicture? {
        guard let path = try? RequestPath.parse(Array(fallback.image.utf8)),
            let rule = table.sources[path.source]?.rule,
            let origin = try? origin(of: rule, path, forwardedQuery: "")
        else { return nil }
        return ResolvedRequest.StandInPicture(
            choice: choice(origin, parsed, ingredients),
            status: fallback.status,
            ttl: fallback.ttl
        )
    }

    /// Whether answers to clients that save data differ: where nobody has named the quality of what loses some.
    private func savesData(_ source: SourceRule, _ parsed: ParsedQuery) -> Bool {
        let settings = parsed.plan.settings
        return !parsed.isBare && source.saveDataStep > 0 && settings.quality == nil && !settings.seeksQuality
            && settings.format.isLossyPossible && !settings.encoding.isLossless
    }

    /// - Parameter step: by how much lower the source's qualities are.
    private func choice(
        _ origin: OriginRequest,
        _ parsed: ParsedQuery,
        _ ingredients: [Ingredient],
        saving step: Int = 0
    ) -> ResolvedRequest.Choice {
        guard !parsed.isBare else {
            let plan = origin.source.originals == .clean ? MetadataCleaner.planText : nil
            return .fixed(VariantRequest(origin: origin, plan: plan, bucket: nil))
        }
        var plan = parsed.plan.canonicalText
        if parsed.plan.settings.format == .json, origin.source.originals != .serve {
            // What bare originals are not to tell, their descriptions do not tell either.
            plan = PictureDescription.cleanPlan(plan)
        }
        // The query's preset before the source's.
        let tiers = parsed.presets.reversed().lazy.compactMap { table.presetTiers[$0] }.first
        let quality = step > 0 ? origin.source.quality.lowered(by: step) : origin.source.quality
        func variant(_ bucket: FormatBucket?) -> VariantRequest {
            VariantRequest(
                origin: origin,
                plan: plan,
                bucket: bucket,
                tiers: tiers,
                presets: parsed.presets,
                quality: quality,
                ingredients: ingredients
            )
        }
        guard parsed.plan.settings.format == .auto else { return .fixed(variant(nil)) }
        let webp = variant(.webp)
        // What is never AVIF is the WebP of all others.
        let isLossless = AVIFTiming.isLossless(parsed.plan, quality)
        let avif = origin.source.avif.isAuto && !isLossless ? variant(.avif) : webp
        return .negotiated(rest: variant(.rest), webp: webp, avif: avif)
    }
}

extension Problem {
    /// A request that the language refuses.
    init(_ error: RequestError) {
        switch error.status {
        case .malformed: self.init(400, error.description, parameter: error.parameter)
        case .unprocessable: self.init(422, error.description, parameter: error.parameter)
        }
    }
}
