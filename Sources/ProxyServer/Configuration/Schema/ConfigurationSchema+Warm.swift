extension ConfigurationSchema {
    /// Jobs that fill the cache ahead of requests.
    static let warm: [Setting<Configuration>] = [
        Setting("warm.active", \.warm.active, .count(1...1000), "Maximum targets that are warmed at a time."),
        Setting(
            "warm.rate",
            \.warm.rate,
            .count(0...1_000_000),
            "Maximum targets that warm jobs start per second; 0 for no limit."
        ),
        Setting(
            "warm.jobs",
            \.warm.jobs,
            .count(1...10_000),
            "Maximum number of warm jobs, running or ended; the oldest ended ones are forgotten."
        ),
        Setting(
            "warm.targets",
            \.warm.targets,
            .count(1...10_000_000),
            "Maximum number of targets of a warm job: its URLs times its presets times its formats."
        ),
        Setting(
            "warm.progress",
            \.warm.progress,
            .duration(10...60_000),
            "Interval between two events on a stream of a warm job's progress."
        ),
    ]
}
