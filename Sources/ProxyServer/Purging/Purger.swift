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

    /// Resolves a target under the current configuration.
    ///
    /// - Throws: `Problem` if it is invalid.
    func selection(of target: PurgeOrder.Target) throws(Problem) -> PurgeSelection {
        switch target {
        case .all: return .all
        case .source(let name):
            // A source that is no longer configured may still have entries; `unknown` tells these cases apart.
            guard RequestPath.isSourceName(name) else {
                throw Problem(400, "This is not a valid name of a source.", parameter: "source")
            }
            return .source(name)
        case .url(let text): return Self.selection(of: try originals(of: text))
        case .prefix(let text): return .prefixes(try PurgePlaces(resolver.current.resolver.table).prefixes(of: text))
        case .tags(let tags):
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
        case .preset(let name):
            // A preset that is no longer configured may still have entries, too.
            guard Preset.isValid(name: name) else {
                throw Problem(400, "This is not a valid name of a preset.", parameter: "preset")
            }
            let preset = resolver.current.resolver.table.remote.options.presets[name]
            return .preset(PresetPattern(name: name, preset: preset))
        case .olderThan(let seconds): return .confirmedBefore(time.wallSeconds.subtractingSaturated(seconds))
        }
    }

    /// The selection of originals with all their copies.
    ///
    /// Where cookies are forwarded, there are copies for each of their values under keys that cannot be told from here. They
    /// have the URL in common, so that it selects them as a prefix, with any URL that continues it.
    private static func selection(of origins: [OriginRequest]) -> PurgeSelection {
        guard origins.contains(where: { !$0.source.forwardCookies.isEmpty }) else {
            return .originals(origins.map(\.key))
        }
        return .prefixes(origins.map { OriginPrefix(source: $0.source.name, url: $0.identity) })
    }

    /// The originals for a request path or an absolute URL.
    private func originals(of text: String) throws(Problem) -> [OriginRequest] {
        let resolver = resolver.current.resolver.withoutGuards
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
        return resolver.table.originals(at: url)
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
                if counts.isEmpty, let problem = unknown(selection) { return complete(Response(problem)) }
                complete(Self.response(counts, order))
            }
            if !isTaken { complete(Self.busy) }
            return
        }
        let isTaken = pipeline.purge(selection, isSoft: order.isSoft, beside: raw.purge) { counts in
            if counts.isEmpty, let problem = unknown(selection) { return complete(Response(problem)) }
            metrics.purges.add(1)
            logger.notice(
                order.isSoft ? "purged softly" : "purged",
                metadata: [
                    "what": "\(Self.words(selection))", "by": "\(by)", "originals": "\(counts.originals)",
                    "variants": "\(counts.variants)", "bytes": "\(counts.bytes)", "memory": "\(counts.memory)",
                ]
            )
            complete(Self.response(counts, order))
        }
        if !isTaken { complete(Self.busy) }
    }

    /// The error for a source or preset that is not configured and has no entries; `nil` for every other selection.
    ///
    /// Entries of a source or preset that is no longer configured can still be purged by its name.
    func unknown(_ selection: PurgeSelection) -> Problem? {
        let table = resolver.current.resolver.table
        switch selection {
        case .source(let name) where table.sources[name] == nil && name != table.remote.rule.name:
            let hint = NearestName.hint(name, among: table.sources.keys.sorted() + [table.remote.rule.name])
            return Problem(
                404,
                "There is no source '\(name)', and no entry of one is cached\(hint)",
                parameter: "source"
            )
        case .preset(let pattern) where table.remote.options.presets[pattern.name] == nil:
            let hint = NearestName.hint(pattern.name, among: table.remote.options.presets.keys.sorted())
            let detail = "There is no preset '\(pattern.name)', and no entry of one is cached\(hint)"
            return Problem(404, detail, parameter: "preset")
        default: return nil
        }
    }

    private static let busy = Response(Problem(503, "Too many purges are waiting for the disk.", retryAfter: 1))

    private static func words(_ selection: PurgeSelection) -> String {
        switch selection {
        case .originals(let keys): "originals \(keys.map { String($0.description.prefix(16)) }.joined(separator: " "))"
        case .source(let name): "source \(name)"
        case .prefixes(let prefixes): "prefix \(prefixes.map { "\($0.source) \($0.url)" }.joined(separator: ", "))"
        case .tags(let tags): "tag \(tags.sorted().joined(separator: " "))"
        case .confirmedBefore(let time): "confirmed before \(Explainer.date(time))"
        case .preset(let pattern): "preset \(pattern.name)"
        case .all: "all"
        case .within(let namespace, let selection):
            words(selection) + (namespace.isEmpty ? " of the default site" : " of site \(namespace)")
        }
    }

    private static func response(_ counts: PurgeCounts, _ order: PurgeOrder) -> Response {
        var members: [JSONValue.Member] = [
            .init("originals", .number(counts.originals)), .init("variants", .number(counts.variants)),
            .init("bytes", .number(counts.bytes)), .init("memory", .number(counts.memory)),
        ]
        if order.isSoft { members.append(.init("soft", .bool(true))) }
        if order.isDry {
            members.append(.init("dry", .bool(true)))
        } else {
            members.append(.init("flights", .number(counts.flights)))
        }
        // Hidden but not removed, as the disk is unavailable.
        if counts.isDiskPending { members.append(.init("pending", .bool(true))) }
        return .admin(.object(members))
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
