import HTTPKit
import ImagePipeline

/// `GET /healthz`: whether the process answers.
struct HealthRoute: AdminRoute {
    // A load balancer has no token, and this tells nothing.
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer { .now(.admin("ok\n")) }
}

/// `GET /readyz`: whether traffic is welcome; 503 while starting, while draining, and while no worker can be started.
///
/// Tells the workers' condition, naming the file where that is the reason, and the disk cache's, without which traffic is as
/// welcome.
struct ReadinessRoute: AdminRoute {
    let readiness: Readiness
    let store: DiskStore
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let isReady = readiness.isReady
        let workers =
            switch readiness.workers {
            case .starting: "starting"
            case .ready: "ok"
            case .failing(let reason): "failing: \(reason)"
            }
        let document = JSONValue.object([
            .init("ready", .bool(isReady)), .init("disk", .string(store.health.description)),
            .init("workers", .string(workers)),
        ])
        return .now(.admin(document, status: isReady ? 200 : 503))
    }
}
