import OriginTransfer

extension ConfigurationSchema {
    /// The queue of transfers from origins, and the circuit breakers.
    static let transfers: [Setting<Configuration>] = [
        Setting(
            "transfers.active",
            \.transfers.active,
            .count(1...10_000),
            "The most transfers from origins at a time."
        ),
        Setting(
            "transfers.per-host",
            \.transfers.perHost,
            .count(1...10_000),
            "The most connections to one host and port at a time, over all sources."
        ),
        Setting(
            "transfers.waiting",
            \.transfers.waiting,
            .count(1...1_000_000),
            "Transfers that may wait for a connection."
        ),
        Setting(
            "transfers.newest-first",
            \.transfers.newestFirstAbove,
            .count(0...1_000_000),
            "The number of waiting transfers above which the newest start first."
        ),
        Setting(
            "transfers.ageing",
            \.transfers.ageing,
            .duration(1...longest),
            "The wait that raises a transfer by one priority."
        ),
        Setting(
            "breaker.failures",
            \.breaker.failures,
            .count(0...10_000),
            "The URLs of a host that fail in succession until it is left alone; 0 for never."
        ),
        Setting(
            "breaker.pause",
            \.breaker.pause,
            .duration(1...longest),
            "How long a host is left alone before one request tries it; doubles with each failure."
        ),
        Setting("breaker.pause-max", \.breaker.pauseMaximum, .duration(1...longest), "The longest such pause."),
    ]
}
