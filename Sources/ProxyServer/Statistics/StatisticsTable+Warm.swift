extension StatisticsTable {
    /// Jobs that fill the cache ahead of requests; they count in no statistic of requests.
    static let warm: [Item] = [
        .gauge("warm.jobs", Metric("edgeprint_warm_jobs", "Warm jobs running.")) { $0.warm.running },
        .gauge("warm.waiting", Metric("edgeprint_warm_waiting", "Targets of running warm jobs that have not ended.")) {
            $0.warm.waiting
        },
        .counters(
            "warm.targets",
            Metric("edgeprint_warm_targets_total", "Targets of warm jobs that have ended, by result.", label: "result")
        ) { $0.warm.targets.values },
    ]
}
