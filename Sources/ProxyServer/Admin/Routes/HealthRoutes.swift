import HTTPKit

/// `GET /healthz`: whether the process answers.
struct HealthRoute: AdminRoute {
    // A load balancer has no token, and this tells nothing.
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer { .now(.admin("ok\n")) }
}

/// `GET /readyz`: whether traffic is welcome, 503 while starting or draining.
struct ReadinessRoute: AdminRoute {
    let readiness: Readiness
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .now(readiness.isReady ? .admin("ready\n") : .admin("not ready\n", status: 503))
    }
}
