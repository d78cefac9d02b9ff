import ImagePipeline
import ImagePlan

extension StatisticsTable {
    /// The confinement of the workers.
    static let sandbox: [Item] = [
        .counter(
            "workers.filterKills",
            Metric(
                "edgeprint_transform_filter_kills_total",
                "Jobs whose worker made a system call that its filter does not list."
            )
        ) { $0.workers.filterKills },
        .fact("workers.sandbox") { $0.sandbox.json },
        .gauges(
            nil,
            Metric(
                "edgeprint_worker_sandbox",
                "Layers of the workers' confinement: 1 if in force in all workers.",
                label: "layer"
            )
        ) { reading in reading.sandbox.states.map { ($0.name, $0.isInForce ? 1 : 0) } },
        .gauge(
            nil,
            Metric(
                "edgeprint_worker_landlock_version",
                "Version of Landlock's ABI in force in all workers; 0 for none."
            )
        ) { $0.sandbox.posture?.landlockVersion ?? 0 },
        .gauge(
            nil,
            Metric(
                "edgeprint_worker_unlisted_calls",
                "System calls that libraries need although the workers' filter does not list them."
            )
        ) { $0.sandbox.calls.count },
    ]
}
