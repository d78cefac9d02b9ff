extension StatisticsTable {
    /// The subscribers of `GET /events` and `GET /inflight`, and the work behind placeholders.
    static let activity: [Item] = [
        .gauge(
            "events.subscribers",
            Metric("edgeprint_event_subscribers", "Open streams of /events and /inflight.")
        ) { $0.activity.subscribers },
        .counter(
            "events.lost",
            Metric("edgeprint_events_lost_total", "Events that slow subscribers of /events have lost.")
        ) { $0.activity.lost },
        .gauge(
            "placeholders.behind",
            Metric("edgeprint_slow_misses_under_way", "Images being made after their placeholder was sent.")
        ) { $0.slowMisses },
    ]
}
