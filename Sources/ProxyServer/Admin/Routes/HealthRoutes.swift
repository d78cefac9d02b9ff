import HTTPCache
import HTTPKit
import ImagePipeline

/// `GET /healthz`: shows that the process responds.
struct HealthRoute: AdminRoute {
    // Load balancers have no token, and the response reveals nothing.
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer { .now(.admin("ok\n")) }
}

/// `GET /readyz`: whether the server accepts traffic; 503 while starting, while draining, and while no worker can start.
///
/// Reports the state of the workers, with the file that cannot be executed, their confinement, and the disk cache, which is not required for
/// readiness.
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
            .init("workers", .string(workers)), .init("sandbox", readiness.sandbox.json),
        ])
        return .now(.admin(document, status: isReady ? 200 : 503))
    }
}
