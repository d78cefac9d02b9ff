import HTTPKit

/// `GET /stats`: what the daemon counts, as JSON.
struct StatsRoute: AdminRoute {
    let reader: StatsReader

    func answer(_ request: AdminRequest) -> AdminAnswer { .now(.admin(reader.snapshot().json)) }
}
