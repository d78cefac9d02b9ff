import ImagePipeline
import ImagePlan

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
            entries[source.rule.name] = Entry(rule: source.rule, options: options, fallback: source.fallback)
        }
        sources = entries
        for preset in configuration.presets { presetTiers[preset.name] = preset.cache }
        remote = Entry(rule: configuration.remoteRule, options: ParseOptions(presets: presets, takesURL: true))
        allowedHosts = configuration.remote.allow
        fonts = configuration.fonts
    }
}
