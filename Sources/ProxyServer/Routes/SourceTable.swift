import ImagePipeline
import ImagePlan

/// The configured sources as requests find them: by name, each with the rules that it is asked under.
struct SourceTable: Sendable {
    /// A source and what its queries may say.
    struct Entry: Sendable {
        var rule: SourceRule
        var options: ParseOptions
        /// `/NAME/PATH` of what stands in, its answers' status and seconds to live.
        var fallback: ConfiguredSource.Fallback?
    }

    /// By name.
    var sources: [String: Entry]
    /// Tiers of presets that have their own, by name.
    var presetTiers: [String: CacheTiers] = [:]
    /// `/fetch?url=`.
    var remote: Entry
    /// Which hosts unsigned requests may ask through `/fetch`.
    var allowedHosts: [HostPattern]
    /// Font families that texts may be drawn in.
    var fonts: [String] = []

    /// The 404 for a name that no source has, with the name that was probably meant.
    func unknown(_ name: String) -> Problem {
        // What could be no source's name at all is not repeated.
        let shown = RequestPath.isSourceName(name) && name.utf8.count <= Self.longestName ? " '\(name)'" : ""
        let nearest = NearestName.of(name, among: sources.keys.sorted() + ["fetch"])
        return Problem(404, "There is no such source\(shown)\(nearest.map { "; did you mean '\($0)'?" } ?? ".")")
    }

    /// The longest name of a source, in bytes.
    private static let longestName = 64
}

extension SourceTable {
    /// Builds the table of a validated configuration.
    ///
    /// - Throws: `RequestError` when a preset's text is not of the request language, which validation has excluded.
    init(_ configuration: Configuration) throws(RequestError) {
        var presets: [String: Preset] = [:]
        for preset in configuration.presets {
            presets[preset.name] = try Preset(name: preset.name, text: preset.text)
        }
        var entries: [String: Entry] = [:]
        for source in configuration.sources {
            let options = ParseOptions(
                forwardNames: Set(source.rule.forwardQuery),
                ignoreNames: Set(source.rule.ignoreQuery),
                presets: presets,
                sourcePreset: source.preset.flatMap { presets[$0] },
                hints: source.rule.clientHints.isEmpty
                    ? nil : ClientHintOptions(fields: Set(source.rule.clientHints), ladder: configuration.ladder)
            )
            entries[source.rule.name] = Entry(rule: source.rule, options: options, fallback: source.fallback)
        }
        sources = entries
        for preset in configuration.presets { presetTiers[preset.name] = preset.cache }
        remote = Entry(rule: configuration.remoteRule, options: ParseOptions(presets: presets, takesURL: true))
        allowedHosts = configuration.remote.allow
        fonts = configuration.fonts
    }
}

extension SourceTable {
    /// The originals that a URL can be: of each source whose prefix it begins with, and of `/fetch?url=`.
    ///
    /// A `%` that stands for a plain character, the host's case and the default port make no other URL (RFC 3986 §6.2.2).
    func originals(at url: OriginURL) -> [OriginRequest] {
        var found = [OriginRequest(source: remote.rule, target: url.text, identity: url.normalized)]
        for entry in sources.values {
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix),
                url.normalized.hasPrefix(start.normalized)
            else { continue }
            found.append(OriginRequest(source: entry.rule, target: url.text, identity: url.normalized))
        }
        return found
    }
}
