extension ConfigurationSchema {
    /// The memory budget, and the parts of it that have no section of their own.
    static let memory: [Setting<Configuration>] = [
        Setting(
            "limits.memory",
            \.limits.memory,
            .memorySize(from: 64 << 20, upTo: 1 << 50),
            needsRestart: true,
            "Memory of daemon and workers together: 2GiB, 50% of the memory, or auto. Sizes that are auto derive from it."
        ),
        Setting(
            "limits.memory-idle",
            \.limits.memoryIdle,
            .duration(0...longest),
            "Time after which freed memory is returned to the system, and workers end, if they are not needed; 0s for never."
        ),
        Setting(
            "transfers.memory",
            \.transferMemory,
            .sizeOrAuto(1 << 20...1 << 50),
            "Maximum bytes of bodies in memory that are arriving or in use."
        ),
        Setting(
            "negative.memory",
            \.failureMemory,
            .sizeOrAuto(64 << 10...1 << 50),
            "Maximum bytes of cached failures; the oldest are evicted."
        ),
    ]
}
