extension ConfigurationSchema {
    /// The pictures that operators send to the playground of the admin listener.
    static let playground: [Setting<Configuration>] = [
        Setting(
            "playground.pictures",
            \.playground.pictures,
            .count(0...100),
            "Maximum pictures that are kept for the playground of the admin listener, each for 10 minutes; 0 for none."
        ),
        Setting(
            "playground.memory",
            \.playground.memory,
            .sizeOrAuto(1 << 20...1 << 30),
            "Maximum size of these pictures in memory; auto: up to 64 MiB of what limits.memory leaves."
        ),
    ]
}
