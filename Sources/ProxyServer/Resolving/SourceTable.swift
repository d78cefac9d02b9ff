import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

/// The configured sources by name, with the rules for their requests.
struct SourceTable: Sendable {
    /// A source and the parse options of its queries.
    struct Entry: Sendable {
        var rule: SourceRule
        var options: ParseOptions
        /// The fallback image.
        var fallback: ConfiguredSource.Fallback?
    }

    /// By name within the site.
    var sources: [String: Entry]
    /// The cache tiers of presets that override them, by name.
    var presetTiers: [String: CacheTiers] = [:]
    /// `/fetch?url=`.
    var remote: Entry
    /// The hosts that unsigned `/fetch` requests may name.
    var allowedHosts: [HostPattern]
    /// The font families for text watermarks.
    var fonts: [String] = []

    /// The 404 for an unknown source, with the nearest name.
    func unknown(_ name: String) -> Problem {
        // Text that is not a valid source name is not echoed.
        let shown = RequestPath.isSourceName(name) && name.utf8.count <= Self.longestName ? " '\(name)'" : ""
        let nearest = NearestName.of(name, among: sources.keys.sorted() + ["fetch"])
        return Problem(404, "There is no such source\(shown)\(nearest.map { "; did you mean '\($0)'?" } ?? ".")")
    }

    /// The longest name of a source, in bytes.
    private static let longestName = 64
}

extension SourceTable {
    /// Creates the table from a validated configuration.
    ///
    /// - Throws: `RequestError` for an invalid preset, which validation has excluded.
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
            entries[source.rule.localName] = Entry(rule: source.rule, options: options, fallback: source.fallback)
        }
        sources = entries
        for preset in configuration.presets { presetTiers[preset.name] = preset.cache }
        remote = Entry(rule: configuration.remoteRule, options: ParseOptions(presets: presets, takesURL: true))
        allowedHosts = configuration.remote.allow
        fonts = configuration.fonts
    }
}

extension SourceTable {
    /// The originals at a URL: of each source whose prefix it begins with, and of `/fetch?url=`.
    ///
    /// URLs are compared in normalized form (RFC 3986 §6.2.2).
    func originals(at url: OriginURL) -> [OriginRequest] {
        var found = [OriginRequest(source: remote.rule, url: url)]
        for entry in sources.values {
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix),
                url.normalized.hasPrefix(start.normalized)
            else { continue }
            found.append(OriginRequest(source: entry.rule, url: url))
        }
        return found
    }
}
