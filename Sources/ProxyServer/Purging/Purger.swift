import Cluster
import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import Logging

/// Executes purges for the admin listener and for `PURGE` requests: resolves the target, purges, logs and counts.
struct Purger: Sendable {
    let pipeline: Pipeline
    let raw: RawProxy<OriginRequest>
    let resolver: ResolverCell
    /// The lane for dry runs, which block.
    let lane: WorkLane
    let metrics: Metrics
    let time: any TimeSource
    let logger: Logger
    /// The log that all nodes of the cluster follow; `nil` for a node by itself.
    var cluster: ClusterPurger?

    /// The rights of a client of the public listener: those of the site that it has asked.
    func rights(at site: Site, isOperator: Bool) -> PurgeRights {
        PurgeRights(site: resolver.table.hasSites ? site.name : nil, isOperator: isOperator)
    }

    /// Resolves an order under the current configuration.
    ///
    /// - Throws: `Problem` if it is invalid, or exceeds the client's rights.
    func selection(of order: PurgeOrder, _ rights: PurgeRights = .all) throws(Problem) -> PurgeSelection {
        try selection(of: order.target, in: try rights.scope(order.site))
    }

    /// Resolves a target under the current configuration.
    ///
    /// - Parameter scope: the site's name, empty for the default site; `nil` for all sites. Names and paths are then those of the
    ///   default site, and of sites with a prefix.
    /// - Throws: `Problem` if it is invalid.
    func selection(of target: PurgeOrder.Target, in scope: String?) throws(Problem) -> PurgeSelection {
        switch target {
        case .all: return Self.within(scope, .all)
        case .source(let name):
            // A source that is no longer configured may still have entries; `unknown` tells these cases apart.
            guard RequestPath.isSourceName(name) else {
                throw Problem(400, "This is not a valid name of a source.", parameter: "source")
            }
            return .source(CacheNamespace.source(name, in: scope ?? ""))
        case .url(let text): return selection(of: try originals(of: text, in: scope))
        case .prefix(let text): return .prefixes(try prefixes(of: text, in: scope))
        case .tags(let tags): return Self.within(scope, try Self.selection(ofTags: tags))
        case .preset(let name):
            // A preset that is no longer configured may still have entries, too.
            guard Preset.isValid(name: name) else {
                throw Problem(400, "This is not a valid name of a preset.", parameter: "preset")
            }
            let sites = resolver.table
            let preset = sites.site(named: scope ?? "")?.resolver.table.remote.options.presets[name]
            let selection = PurgeSelection.preset(PresetPattern(name: name, preset: preset))
            // A preset belongs to one site.
            return sites.hasSites || scope != nil ? Self.within(scope ?? "", selection) : selection
        case .expired: return Self.within(scope, .staleAt(time.wallSeconds))
        case .olderThan(let seconds):
            return Self.within(scope, .confirmedBefore(time.wallSeconds.subtractingSaturated(seconds)))
        }
    }

    private static func within(_ scope: String?, _ selection: PurgeSelection) -> PurgeSelection {
        scope.map { .within($0, selection) } ?? selection
    }

    private static func selection(ofTags tags: [String]) throws(Problem) -> PurgeSelection {
        let limit = OriginTags.maximumLength
        guard tags.allSatisfy(OriginTags.isTag) else {
            throw Problem(
                400,
                "A tag must not contain spaces or commas, and not be longer than \(limit) bytes.",
                parameter: "tag"
            )
        }
        guard tags.count <= PurgeFields.maximumCount else {
            throw Problem(
                400,
                "A purge must not have more than \(PurgeFields.maximumCount) tags.",
                parameter: "tag"
            )
        }
        return .tags(Set(tags))
    }

    /// The sites that a path or an absolute URL of originals may be of, with the path below the prefix of each.
    ///
    /// - Throws: `Problem` 404 for an unknown site.
    private func places(of text: String, in scope: String?) throws(Problem) -> [(site: Site, text: String)] {
        let sites = resolver.table
        guard scope != nil || text.hasPrefix("/") else { return ([sites.standard] + sites.named).map { ($0, text) } }
        let place = try sites.place(of: text, named: scope)
        return [(place.site, place.target)]
    }

    private func prefixes(of text: String, in scope: String?) throws(Problem) -> [OriginPrefix] {
        var found: [OriginPrefix] = []
        for (site, text) in try places(of: text, in: scope) {
            found += try PurgePlaces(site.resolver.table).prefixes(of: text)
        }
        return found
    }

    /// The originals for a request path or an absolute URL.
    private func originals(of text: String, in scope: String?) throws(Problem) -> [OriginRequest] {
        var found: [OriginRequest] = []
        for (site, text) in try places(of: text, in: scope) {
            found += try Self.originals(of: text, at: site.resolver)
        }
        return found
    }

    /// The selection of originals with all their copies.
    ///
    /// Where cookies are forwarded, or rules depend on the request, there are copies under keys that cannot be told from here.
    /// They have the URL in common, so that it selects them as a prefix, with any URL that continues it.
    private func selection(of origins: [OriginRequest]) -> PurgeSelection {
        // All sites have the same rules.
        let hasCopies = resolver.table.standard.resolver.table.rules.changesKeys
        guard hasCopies || origins.contains(where: { !$0.source.forwardCookies.isEmpty }) else {
            return .originals(origins.map(\.key))
        }
        return .prefixes(origins.map { OriginPrefix(source: $0.source.name, url: $0.identity) })
    }

    private static func originals(of text: String, at resolver: RequestResolver) throws(Problem) -> [OriginRequest] {
        let resolver = resolver.withoutGuards
        if let origin = try resolver.rawOrigin(of: Array(text.utf8)) { return [origin] }
        guard !text.hasPrefix("/") else {
            return [try resolver.resolve(Array(text.utf8)).variant(for: .rest).origin]
        }
        let url: OriginURL
        do {
            url = try OriginURL(text, of: "url")
        } catch {
            throw Problem(error)
        }
        return resolver.originals(at: url)
    }

    /// Purges or counts, then calls back with the response; any thread.
    ///
    /// - Parameters:
    ///   - selection: the resolved target.
    ///   - order: the options.
    ///   - by: the client, for the log.
    func purge(
        _ selection: PurgeSelection,
        _ order: PurgeOrder,
        by: String,
        complete: @escaping @Sendable (Response) -> Void
    ) {
        guard !order.isDry else {
            let isTaken = lane.submit {
                var counts = pipeline.count(selection)
                counts.memory += raw.cache.count(selection)
                switch order.tier {
                case .memory: (counts.originals, counts.variants, counts.bytes) = (0, 0, 0)
                case .disk: counts.memory = 0
                case nil: break
                }
                if counts.isEmpty, let problem = unknown(selection) { return complete(Response(problem)) }
                complete(Self.response(counts, order, .alone))
            }
            if !isTaken { complete(Self.busy) }
            return
        }
        let finish: @Sendable (PurgeCounts, PurgeReach) -> Void = { counts, reach in
            if counts.isEmpty, reach == .alone, let problem = unknown(selection) { return complete(Response(problem)) }
            metrics.purges.add(1)
            logger.notice(
                order.isSoft ? "purged softly" : "purged",
                metadata: [
                    "what": "\(Self.words(selection))", "tier": "\(order.tier?.rawValue ?? "all")", "by": "\(by)",
                    "originals": "\(counts.originals)",
                    "variants": "\(counts.variants)", "bytes": "\(counts.bytes)", "memory": "\(counts.memory)",
                    "applied": "\(reach.word ?? "here")",
                ]
            )
            if counts.isVolatile {
                logger.error("a purge cannot be recorded in the cache folder; a restart would undo it on disk")
            }
            complete(Self.response(counts, order, reach))
        }
        if order.tier == nil, let cluster {
            let purge = Purge(selection, staleFrom: order.isSoft ? time.wallSeconds : nil)
            cluster.purge(purge, waitsForAll: order.waitsForAll) { result in
                switch result {
                case .success(let outcome): finish(outcome.counts, PurgeReach(outcome))
                case .failure(.tooLarge(limit: let limit)):
                    complete(
                        Response(Problem(413, "The purge takes more than \(limit) bytes in the log; send several."))
                    )
                case .failure(let error):
                    // Other nodes do not know of it; this one at least does what it can.
                    if !purgeHere(selection, order, { finish($0, .local("\(error)")) }) { complete(Self.busy) }
                }
            }
            return
        }
        if !purgeHere(selection, order, { finish($0, .alone) }) { complete(Self.busy) }
    }

    /// Purges this node alone.
    ///
    /// - Returns: false when too many purges are waiting for the disk.
    private func purgeHere(
        _ selection: PurgeSelection,
        _ order: PurgeOrder,
        _ finish: @escaping @Sendable (PurgeCounts) -> Void
    ) -> Bool {
        if let tier = order.tier {
            pipeline.clear(tier, of: selection, beside: { raw.cache.evict(selection) }, completion: finish)
        } else {
            pipeline.purge(selection, isSoft: order.isSoft, beside: raw.purge, completion: finish)
        }
    }

    /// The error for a source that has no images of its own, and for a source or preset that is not configured and has no entries;
    /// `nil` for every other selection.
    ///
    /// Entries of a source or preset that is no longer configured can still be purged by its name.
    func unknown(_ selection: PurgeSelection) -> Problem? {
        let sites = resolver.table
        switch selection {
        case .source(let full):
            let (scope, name) = (CacheNamespace.of(source: full), CacheNamespace.name(of: full))
            guard let site = sites.site(named: scope) else { return .unknownSite(scope, in: sites) }
            let names = site.resolver.table.sources.keys.sorted() + ["fetch"]
            guard !names.contains(name) else { return site.resolver.table.borrowing(name, parameter: "source") }
            return Problem(
                404,
                "There is no source '\(name)', and no entry of one is cached\(NearestName.hint(name, among: names))",
                parameter: "source"
            )
        case .preset(let pattern): return unknown(pattern, in: sites.standard)
        case .within(let scope, let selection):
            guard let site = sites.site(named: scope) else { return .unknownSite(scope, in: sites) }
            if case .preset(let pattern) = selection { return unknown(pattern, in: site) }
            return nil
        default: return nil
        }
    }

    private func unknown(_ pattern: PresetPattern, in site: Site) -> Problem? {
        let names = site.resolver.table.remote.options.presets.keys.sorted()
        guard !names.contains(pattern.name) else { return nil }
        let hint = NearestName.hint(pattern.name, among: names)
        let detail = "There is no preset '\(pattern.name)', and no entry of one is cached\(hint)"
        return Problem(404, detail, parameter: "preset")
    }

    private static let busy = Response(Problem(503, "Too many purges are waiting for the disk.", retryAfter: 1))

    private static func words(_ selection: PurgeSelection) -> String {
        switch selection {
        case .originals(let keys): "originals \(keys.map { String($0.description.prefix(16)) }.joined(separator: " "))"
        case .source(let name): "source \(name)"
        case .prefixes(let prefixes): "prefix \(prefixes.map { "\($0.source) \($0.url)" }.joined(separator: ", "))"
        case .tags(let tags): "tag \(tags.sorted().joined(separator: " "))"
        case .confirmedBefore(let time): "confirmed before \(Explainer.date(time))"
        case .staleAt(let time): "stale at \(Explainer.date(time))"
        case .preset(let pattern): "preset \(pattern.name)"
        case .all: "all"
        case .within(let namespace, let selection):
            words(selection) + (namespace.isEmpty ? " of the default site" : " of site \(namespace)")
        }
    }

    private static func response(_ counts: PurgeCounts, _ order: PurgeOrder, _ reach: PurgeReach) -> Response {
        var members: [JSONValue.Member] = [
            .init("originals", .number(counts.originals)), .init("variants", .number(counts.variants)),
            .init("bytes", .number(counts.bytes)), .init("memory", .number(counts.memory)),
        ]
        if let tier = order.tier { members.append(.init("tier", .string(tier.rawValue))) }
        if order.isSoft { members.append(.init("soft", .bool(true))) }
        if order.isDry {
            members.append(.init("dry", .bool(true)))
        } else {
            members.append(.init("flights", .number(counts.flights)))
        }
        // Hidden but not removed, as the disk is unavailable.
        if counts.isDiskPending { members.append(.init("pending", .bool(true))) }
        members += reach.members
        var status = reach.status
        if counts.isVolatile, status == 200 {
            let detail = "The cache folder cannot be written: a restart would undo the purge on disk. Purge again."
            members.append(.init("detail", .string(detail)))
            status = 503
        }
        var response = Response.admin(.object(members), status: status)
        if status == 503 {
            var fields = FieldBlock()
            fields.append("Retry-After", "1")
            response.fields += fields.bytes
        }
        return response
    }
}

extension Int64 {
    /// The difference, clamped to the minimum.
    fileprivate func subtractingSaturated(_ other: Int) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(Int64(other))
        return overflow ? .min : difference
    }
}

extension PurgeCounts {
    /// Whether nothing was found although all tiers were searched.
    fileprivate var isEmpty: Bool { originals == 0 && variants == 0 && memory == 0 && !isDiskPending }
}
