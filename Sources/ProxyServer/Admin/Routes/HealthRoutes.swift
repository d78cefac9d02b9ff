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
/// Reports the state of the workers, with the file that cannot be executed, their confinement, and what is not required for readiness:
/// the disk cache, and whether a node of a cluster is in touch with its log.
struct ReadinessRoute: AdminRoute {
    let readiness: Readiness
    let store: DiskStore
    /// `nil` outside of a cluster.
    let progress: PurgeProgress?
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let isReady = readiness.isReady
        let workers =
            switch readiness.workers {
            case .starting: "starting"
            case .ready: "ok"
            case .failing(let reason): "failing: \(reason)"
            }
        var members: [JSONValue.Member] = [
            .init("ready", .bool(isReady)), .init("disk", .string(store.health.description)),
            .init("workers", .string(workers)), .init("sandbox", readiness.sandbox.json),
        ]
        if let progress { members.append(.init("cluster", .string(progress.isInTouch ? "in touch" : "out of touch"))) }
        let document = JSONValue.object(members)
        return .now(.admin(document, status: isReady ? 200 : 503))
    }
}
