extension ConfigurationSchema {
    /// The bounds of `/metrics`.
    static let metrics: [Setting<Configuration>] = [
        Setting(
            "metrics.sources",
            \.metrics.sources,
            .count(0...1_000),
            needsRestart: true,
            "Maximum sources counted separately in /metrics; the others are counted together, as other."
        )
    ]
}
