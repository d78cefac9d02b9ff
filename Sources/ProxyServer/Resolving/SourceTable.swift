import Dialects
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
        /// The name of the preset that is applied first.
        var preset: String?
        var reading = ConfiguredSource.PathReading()
    }

    /// By name within the site.
    var sources: [String: Entry]
    /// The cache tiers of presets that override them, by name.
    var presetTiers: [String: CacheTiers] = [:]
    /// `/fetch?url=`.
    var remote: Entry
    /// The hosts that unsigned `/fetch` requests may name.
    var allowedHosts: [HostPattern]
    /// The hosts whose pages stand for the pictures that they name.
    var pageHosts: [HostPattern] = []
    /// The maximum bytes of a page.
    var pageBytes = 0
    /// Who may send `data:` URLs to `/fetch`.
    var dataPolicy = DataURLPolicy.signed
    /// The keys of encrypted URLs (`enc`): the first encrypts, all of them decrypt.
    var urlKeys: [CipherKey] = []
    /// The font families for text watermarks.
    var fonts: [String] = []
    /// The language of another server that all paths are in; `nil` for Edgeprint's own.
    var dialect: Dialect?
    /// The source of images that a request in this language names by a path; `nil` for none.
    var dialectBase: String?
    /// Verifies signatures of other servers' languages.
    var verifier = DialectVerifier()
    var rules = RuleSet.none
    /// What responses of a source say about it (`AnswerTag`), by full name; empty outside the daemon.
    var tags: [String: UInt64] = [:]

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
            var options = ParseOptions(
                presets: presets,
                sourcePreset: source.preset.flatMap { presets[$0] },
                hints: source.rule.clientHints.isEmpty
                    ? nil : ClientHintOptions(fields: Set(source.rule.clientHints), ladder: configuration.ladder)
            )
            options.query = QueryFilter(source.rule)
            options.unsigned = source.rule.unsigned.limits
            entries[source.rule.localName] = Entry(
                rule: source.rule,
                options: options,
                fallback: source.fallback,
                preset: source.preset,
                reading: source.reading
            )
        }
        (dialect, dialectBase) = (configuration.dialect, configuration.dialectBase)
        verifier = DialectVerifier(configuration.dialects, precedingKeys: configuration.signing.keys.count)
        sources = entries
        for preset in configuration.presets { presetTiers[preset.name] = preset.cache }
        remote = Entry(rule: configuration.remoteRule, options: ParseOptions(presets: presets, takesURL: true))
        remote.options.unsigned = remote.rule.unsigned.limits
        allowedHosts = configuration.remote.allow
        pageHosts = configuration.remote.pages
        pageBytes = configuration.remote.pageBytes
        dataPolicy = configuration.remote.data
        urlKeys = configuration.remote.urlKeys.compactMap { configuration.key(named: $0) }
        fonts = configuration.fonts
        rules = RuleSet(configuration.rules)
    }
}

extension SourceTable {
    /// The originals at a URL: of each source whose prefix it begins with, and of `/fetch?url=`.
    ///
    /// URLs are compared in normalized form (RFC 3986 §6.2.2).
    func originals(at url: OriginURL) -> [OriginRequest] {
        var found = [originalAtFetch(url, by: remote.rule)]
        if pageHosts.contains(where: { $0.matches(url.hostText) }) {
            found.append(OriginRequest(source: remote.rule, page: url, limit: pageBytes))
        }
        for entry in sources.values {
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix),
                url.normalized.hasPrefix(start.normalized)
            else { continue }
            found.append(OriginRequest(source: entry.rule, url: url, keyed: url.keyed(by: QueryFilter(entry.rule))))
        }
        return found
    }
}

extension SourceTable {
    /// Assigns numbers to the sources, in the order of their names, and then to `/fetch`.
    mutating func assign(_ numbers: SourceNumbers) {
        for name in sources.values.map(\.rule.name).sorted() + [remote.rule.name] {
            tags[name] = AnswerTag.bits(ofSource: numbers.number(of: name))
        }
    }
}
