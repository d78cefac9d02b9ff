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
