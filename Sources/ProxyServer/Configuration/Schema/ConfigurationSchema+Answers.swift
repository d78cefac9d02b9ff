extension ConfigurationSchema {
    /// Response header fields, and who sends the content.
    static let answers: [Setting<Configuration>] = [
        Setting(
            "answers.server-timing",
            \.answers.serverTiming,
            .onOff,
            "Report the duration of each stage in Server-Timing."
        ),
        Setting(
            "answers.cors",
            \.answers.cors,
            .crossOrigin,
            "Origins whose scripts may read responses and their timing: *, one origin, or off."
        ),
        Setting(
            "answers.accel-redirect.prefix",
            \.answers.accelRedirect.prefix,
            .accelPrefix,
            needsRestart: true,
            "Internal location by which a trusted nginx sends large images from the cache folder, or off."
        ),
        Setting(
            "answers.accel-redirect.from",
            \.answers.accelRedirect.from,
            .size(1 << 10...1 << 30),
            needsRestart: true,
            "Size from which images are sent by nginx."
        ),
    ]
}
