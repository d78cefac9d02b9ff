extension ConfigurationSchema {
    /// The settings of what clients and queues may use.
    static let limits: [Setting<Configuration>] =
        memory + [
            Setting(
                "limits.request-body",
                \.limits.requestBody,
                .size(1_024...1 << 30),
                needsRestart: true,
                "Maximum size of a request body; only raw sources accept one."
            ),
            Setting(
                "clients.connections",
                \.clients.connections,
                .count(1...1_000_000),
                "Maximum open connections of one client."
            ),
            Setting(
                "clients.half-close",
                \.clients.halfClose,
                .choice,
                "Clients that close their sending side before their response: answer, or treat as gone."
            ),
            Setting(
                "limits.connections",
                \.limits.connections,
                .count(1...1_000_000),
                "Maximum open client connections."
            ),
            Setting(
                "limits.waiters",
                \.limits.waiters,
                .count(1...1_000_000),
                "Maximum requests waiting for the same result; then as many again, from clients with fewer than half of them."
            ),
            Setting("limits.queue", \.limits.queue, .count(1...1_000_000), "Maximum transforms waiting for a worker."),
            Setting(
                "overload.queue-time",
                \.overload.queueTime,
                .duration(1...longest),
                "Longest wait for a transform or download, predicted or real; beyond it requests are 503."
            ),
        ]
}
