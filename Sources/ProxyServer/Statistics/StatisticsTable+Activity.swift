extension StatisticsTable {
    /// The subscribers of `GET /events` and `GET /inflight`, the work behind placeholders, and answers under overload.
    static let activity: [Item] = [
        .gauge(
            "events.subscribers",
            Metric("edgeprint_event_subscribers", "Open streams of /events, /inflight and /live.")
        ) { $0.activity.subscribers },
        .counter(
            "events.lost",
            Metric("edgeprint_events_lost_total", "Events that slow subscribers of /events have lost.")
        ) { $0.activity.lost },
        .gauge(
            "placeholders.behind",
            Metric("edgeprint_slow_misses_under_way", "Images being made after their placeholder was sent.")
        ) { $0.slowMisses },
        .counters(
            "brownouts.answers",
            Metric(
                "edgeprint_brownouts_total",
                "Requests answered under overload with something else than the image, by what it was.",
                label: "rung"
            )
        ) { $0.metrics.brownouts.values },
        .gauge(
            "brownouts.behind",
            Metric("edgeprint_brownouts_under_way", "Images to be made after something else was sent in their place.")
        ) { $0.brownouts },
    ]
}
