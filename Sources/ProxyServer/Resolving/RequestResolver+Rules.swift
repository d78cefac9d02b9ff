import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// What rules and the signature decide about a request and its responses, besides its original and its plan.
struct RequestRules: Sendable {
    /// The place in the queues; `nil` for the client's choice.
    var priority: RequestPriority?
    /// Response fields that are set or removed; `nil` for none.
    var edits: FieldEdits?
    /// The key that has signed the request, counted from 1; `nil` if it is not signed.
    var signingKey: Int?
}

/// A source with the settings that apply to one request.
struct RuledSource: Sendable {
    var entry: SourceTable.Entry
    /// The path as requested; `nil` for `/fetch`.
    var requested: RequestPath?
    /// What the rules were compared with; `nil` if there are none.
    var subject: RuleSet.Subject?
    /// `nil` if no rule concerns the request.
    var ruling: Ruling?
    /// The key that has signed the request, counted from 1; `nil` if it is not signed.
    var signingKey: Int?

    /// What the request and its responses need of the ruling.
    var request: RequestRules {
        guard let ruling else { return RequestRules(signingKey: signingKey) }
        return RequestRules(
            priority: ruling.priority,
            edits: FieldEdits(ruling.responseFields),
            signingKey: signingKey
        )
    }

    /// The path to request from the origin.
    ///
    /// - Throws: `RequestError` if the rewritten path is invalid.
    func path(_ requested: RequestPath) throws(RequestError) -> RequestPath {
        guard let path = ruling?.path else { return requested }
        let whole = try RequestPath.parse("/\(requested.source)/\(path)")
        guard let whole else {
            throw RequestError(parameter: "path", reason: "is invalid after a rule has rewritten it")
        }
        return whole
    }

    /// The query of a raw request after the rules' edits; `nil` for none.
    func editedRaw(_ query: String?) -> String? {
        guard let ruling, !ruling.query.isEmpty else { return query }
        let edited = ruling.edited(query ?? "")
        return edited.isEmpty ? nil : edited
    }
}

extension RequestResolver {
    /// A source with the rules for a path, without the ratio that its name may state.
    func ruled(_ entry: SourceTable.Entry, _ path: RequestPath) -> RuledSource {
        let scaled = entry.rule.readsScaleSuffix ? ScaleSuffix.split(path) : nil
        var entry = entry
        entry.options.nameRatio = scaled?.ratio
        return ruled(entry, at: scaled?.path ?? path)
    }

    private func ruled(_ entry: SourceTable.Entry, at path: RequestPath) -> RuledSource {
        guard !table.rules.isEmpty else { return RuledSource(entry: entry, requested: path) }
        let host = entry.rule.location.urlPrefix.flatMap { try? OriginURL($0).hostText }
        let subject = RuleSet.Subject(
            source: entry.rule.localName,
            host: host,
            segments: path.segments,
            rawSegments: path.rawSegments,
            folded: RuleSet.Subject.folded(path.segments),
            traits: traits
        )
        return ruled(entry, subject, path)
    }

    /// `/fetch` with the rules for a URL.
    ///
    /// - Throws: 400 if rules compare paths and the URL's path cannot be decoded, so that no spelling evades a rule.
    func ruledFetch(_ url: OriginURL) throws(Problem) -> RuledSource {
        guard !table.rules.isEmpty else { return RuledSource(entry: table.remote) }
        var segments: (decoded: [String], raw: [String]) = ([], [])
        if table.rules.readsPaths {
            // The path is in normal form, without dot segments.
            do throws(RequestError) {
                guard let path = try RequestPath.parse("/fetch" + url.path) else {
                    throw RequestError(parameter: "url", reason: "has an invalid path")
                }
                segments = (path.segments, path.rawSegments)
            } catch {
                throw Problem(RequestError(parameter: "url", reason: "has a path that \(error.reason)"))
            }
        }
        let subject = RuleSet.Subject(
            source: table.remote.rule.localName,
            host: url.hostText,
            segments: segments.decoded,
            rawSegments: segments.raw,
            folded: RuleSet.Subject.folded(segments.decoded),
            traits: traits
        )
        return ruled(table.remote, subject, nil)
    }

    /// `/fetch` with the rules for a `data:` URL, which has neither host nor path.
    func ruledData() -> RuledSource {
        guard !table.rules.isEmpty else { return RuledSource(entry: table.remote) }
        let source = table.remote.rule.localName
        let subject = RuleSet.Subject(source: source, host: nil, segments: [], rawSegments: [], traits: traits)
        return ruled(table.remote, subject, nil)
    }

    private func ruled(_ entry: SourceTable.Entry, _ subject: RuleSet.Subject, _ path: RequestPath?) -> RuledSource {
        let source = ConfiguredSource(rule: entry.rule, preset: entry.preset, fallback: entry.fallback)
        let ruling = table.rules.ruling(subject, source)
        var ruled = RuledSource(entry: entry, requested: path, subject: subject, ruling: ruling)
        guard let ruling else { return ruled }
        ruled.entry.rule = ruling.source.rule
        let preset = ruling.source.preset.map { entry.options.presets[$0] }
        // A preset that the site does not have replaces nothing: `RuleChecks` reports it for sources, but not for /fetch.
        if ruling.source.preset != entry.preset, preset != .some(nil) {
            ruled.entry.preset = ruling.source.preset
            ruled.entry.options.sourcePreset = preset ?? nil
        }
        if path != nil { ruled.entry.options.query = QueryFilter(ruling.source.rule) }
        return ruled
    }

    /// The source of a target, with its rules; `nil` if the target names none.
    ///
    /// - Throws: `Problem` that describes the error in the target.
    func ruled(at target: [UInt8]) throws(Problem) -> RuledSource? {
        let own = try own(target)
        do throws(RequestError) {
            guard let path = try RequestPath.parse(own.path) else { return nil }
            if let entry = table.sources[path.source] { return ruled(entry, path) }
        } catch {
            throw Problem(error)
        }
        let parsed = try parse(own, table.remote.options)
        guard parsed.url != nil else { return nil }
        let (text, name) = try remoteText(parsed)
        guard !DataURL.isOne(text) else { return ruledData() }
        let url: OriginURL
        do throws(RequestError) { url = try OriginURL(text, of: name) } catch { throw Problem(error) }
        return try ruledFetch(url)
    }

    /// The encoded `Vary` for the request fields that rules compare, also those for auxiliary and fallback images; empty for none.
    func varyField(_ ruled: RuledSource, _ plan: Plan, _ fallback: ConfiguredSource.Fallback?) -> [UInt8] {
        guard table.rules.matchers != nil else { return [] }
        var paths = plan.auxiliaries.map(\.path.path)
        if let fallback, let path = try? RequestPath.parse(Array(fallback.image.utf8)) { paths.append(path) }
        var names = Set(ruled.ruling?.vary ?? [])
        for path in paths {
            guard let entry = table.sources[path.source] else { continue }
            names.formUnion(self.ruled(entry, path).ruling?.vary ?? [])
        }
        guard !names.isEmpty else { return [] }
        var block = FieldBlock()
        block.append("Vary", names.sorted().joined(separator: ", "))
        return block.bytes
    }

    /// Refuses a request that a rule denies.
    func checkAccess(_ ruled: RuledSource) throws(Problem) {
        guard enforcesRules, ruled.ruling?.access == .deny else { return }
        throw Problem(403, "A rule of this server denies requests for this image.")
    }

    /// The original of a source, with the path and the query that the rules request.
    func origin(
        of ruled: RuledSource,
        _ query: QueryFilter.Outcome = QueryFilter.Outcome(),
        cookie: String? = nil
    ) throws -> OriginRequest {
        guard let requested = ruled.requested else { throw table.unknown("fetch") }
        return try origin(
            of: ruled.entry.rule,
            ruled.path(requested),
            ruled.ruling?.edited(query) ?? query,
            cookie: cookie
        )
    }

    /// The original at a URL of `/fetch`, with the path and the query that the rules request; its host never changes.
    func origin(at url: OriginURL, _ ruled: RuledSource) throws(RequestError) -> OriginRequest {
        let rule = ruled.entry.rule
        let filter = QueryFilter(rule)
        guard ruled.ruling?.path != nil || ruled.ruling?.query.isEmpty == false || !filter.isTrivial else {
            return original(at: url, rule)
        }
        var query = filter.apply(to: url.query ?? "")
        query = ruled.ruling?.edited(query) ?? query
        var path = url.path
        if let rewritten = ruled.ruling?.path {
            guard let parsed = try RequestPath.parse("/fetch/\(rewritten)") else {
                throw RequestError(parameter: "url", reason: "is invalid after a rule has rewritten it")
            }
            path = "/" + parsed.rawPath
        }
        func text(_ query: String) -> String { url.origin + path + (query.isEmpty ? "" : "?" + query) }
        return original(
            at: try OriginURL(text(query.sent), of: "url"),
            keyed: query.sent == query.keyed ? nil : try OriginURL(text(query.keyed), of: "url"),
            rule
        )
    }

    /// The original at a URL, or the picture that it names if it is a page of `remote.pages`.
    ///
    /// - Parameter keyed: the URL in the cache key; `nil` for `url`. The key of a page's picture has all parameters.
    private func original(at url: OriginURL, keyed: OriginURL? = nil, _ rule: SourceRule) -> OriginRequest {
        table.pageHosts.contains { $0.matches(url.hostText) }
            ? OriginRequest(source: rule, page: url, limit: table.pageBytes)
            : OriginRequest(source: rule, url: url, keyed: keyed)
    }
}

extension RequestResolver {
    /// The originals at a URL, as sources and rules form their keys.
    func originals(at url: OriginURL) -> [OriginRequest] {
        var found = table.originals(at: url)
        guard !table.rules.isEmpty else { return found }
        if let ruled = try? ruledFetch(url), let origin = try? origin(at: url, ruled) { found.append(origin) }
        for entry in table.sources.values {
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix),
                url.normalized.hasPrefix(start.normalized),
                let path = try? RequestPath.parse("/\(entry.rule.localName)/\(url.path.dropFirst(start.path.count))")
            else { continue }
            // The URL is the origin's, so that nothing is rewritten.
            let rule = ruled(entry, path).entry.rule
            found.append(OriginRequest(source: rule, url: url, keyed: url.keyed(by: QueryFilter(rule))))
        }
        return found
    }
}

extension QueryFilter {
    /// The filter of a source.
    init(_ rule: SourceRule) {
        self.init(
            forward: rule.forwardQuery,
            ignore: rule.ignoreQuery,
            unkeyed: rule.unkeyedQuery,
            isSorted: rule.sortsQuery
        )
    }
}

extension OriginURL {
    /// The URL as a source's cache key has it; `nil` if it is the same.
    func keyed(by filter: QueryFilter) -> OriginURL? {
        guard let query, !filter.isTrivial else { return nil }
        let keyed = filter.apply(to: query).keyed
        guard keyed != query else { return nil }
        return try? OriginURL(origin + path + (keyed.isEmpty ? "" : "?" + keyed))
    }
}

extension SourceTable {
    /// The original at a URL of `/fetch` without rules.
    func originalAtFetch(_ url: OriginURL, by rule: SourceRule) -> OriginRequest {
        OriginRequest(source: rule, url: url, keyed: url.keyed(by: QueryFilter(rule)))
    }
}
