/// What a source's configuration says about the queries that reach it.
package struct ParseOptions: Sendable {
    /// Parameters that go upstream raw and in their order; never names of the language (`RequestLanguage.isReserved`).
    package var forwardNames: Set<String>
    /// Parameters that are dropped; names of the language are never ignored.
    package var ignoreNames: Set<String>
    /// What `preset=NAME` stands for.
    package var presets: [String: Preset]
    /// Stands before every query of the source, unless `preset=none` turns it off.
    package var sourcePreset: Preset?
    /// Whether the request is for `/fetch`, the only path that `url` belongs to.
    package var takesURL: Bool
    /// What `w=auto` and `dpr=auto` stand for; `nil` where they are refused.
    package var hints: ClientHintOptions?

    /// Creates options; nothing forwarded, nothing ignored and no presets where nothing is given.
    package init(
        forwardNames: Set<String> = [],
        ignoreNames: Set<String> = [],
        presets: [String: Preset] = [:],
        sourcePreset: Preset? = nil,
        takesURL: Bool = false,
        hints: ClientHintOptions? = nil
    ) {
        self.forwardNames = forwardNames
        self.ignoreNames = ignoreNames
        self.presets = presets
        self.sourcePreset = sourcePreset
        self.takesURL = takesURL
        self.hints = hints
    }
}
