import HTTPKit

/// `GET /metrics`: the metrics in Prometheus text format.
struct MetricsRoute: AdminRoute {
    let metrics: Metrics

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .now(.admin(metrics.exposition(), type: "text/plain; version=0.0.4; charset=utf-8"))
    }
}
