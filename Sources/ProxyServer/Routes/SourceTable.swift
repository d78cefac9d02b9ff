import ImagePipeline
import ImagePlan

/// The configured sources by name, with the rules for their requests.
struct SourceTable: Sendable {
    /// A source and the parse options of its queries.
    struct Entry: Sendable {
        var rule: SourceRule
        var options: ParseOptions
        /// The fallback image.
        var fallback: ConfiguredSource.Fallback?
    }

    /// By name.
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
