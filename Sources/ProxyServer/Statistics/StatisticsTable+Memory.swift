extension StatisticsTable {
    /// The memory budget and its parts.
    static let memoryBudget: [Item] = [
        .gauge(
            "budget.bytes",
            Metric(
                "edgeprint_memory_budget_bytes",
                "Memory that daemon and workers together should use (limits.memory)."
            )
        ) { $0.plan.budget },
        .gauges(
            "budget.limits",
            Metric("edgeprint_memory_part_limit_bytes", "Limit of each part of the memory budget.", label: "part")
        ) { reading in
            reading.plan.parts.map { ($0.name, $0.limit) }
        },
        .gauges(
            "budget.used",
            Metric(
                "edgeprint_memory_part_used_bytes",
                "Bytes in use of each part of the memory budget; for workers and daemon, all their resident memory.",
                label: "part"
            )
        ) { reading in
            reading.memoryUsed.map { ($0.key, $0.value) }
        },
        .gauge(
            "budget.resident",
            Metric("edgeprint_resident_bytes", "Resident memory of the daemon.")
        ) { $0.memoryUsed["daemon"] ?? 0 },
        .counter(
            "budget.trims",
            Metric("edgeprint_memory_trims_total", "Times that freed memory was returned to the system when idle.")
        ) { $0.trims },
    ]
}
