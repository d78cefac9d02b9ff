import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem

/// `GET /events`: what happens to transfers and tiers, as server-sent events.
struct EventsRoute: AdminRoute {
    let hub: EventHub

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .now(hub.subscribe(to: .events, while: request.isStillSignedIn))
    }
}

/// `GET /inflight`: the work in progress, as JSON, or once a second as server-sent events if the client accepts these.
struct InFlightRoute: AdminRoute {
    let hub: EventHub
    let reader: InFlightReader

    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard request.acceptsEvents else { return .now(.admin(reader.document)) }
        return .now(hub.subscribe(to: .inFlight, while: request.isStillSignedIn) { [reader] in reader.document.text })
    }
}

/// Reads what the pipeline and the raw sources are working on; any thread.
struct InFlightReader: Sendable {
    let pipeline: Pipeline
    let raw: RawProxy<OriginRequest>
    let time: any TimeSource

    /// The maximum number of listed entries of each kind.
    private static let limit = 1_000

    /// All work in progress by kind, oldest first within each.
    var document: JSONValue {
        let now = time.monotonic
        let kinds = [
            ("image", pipeline.variantsInProgress(limit: Self.limit)),
            ("original", pipeline.originalsInProgress(limit: Self.limit)),
            ("raw", raw.inProgress(limit: Self.limit)),
        ]
        let entries = kinds.flatMap { kind, found in found.oldest.map { entry($0, kind, now) } }
        let total = kinds.reduce(0) { $0 + $1.1.total }
        return .object([.init("total", .number(total)), .init("entries", .array(entries))])
    }

    private func entry(_ status: FlightStatus, _ kind: String, _ now: Int64) -> JSONValue {
        .object([
            .init("kind", .string(kind)), .init("source", .string(status.subject.source)),
            .init("url", .string(ActivityEvent.withoutSecrets(status.subject.url))),
            .init("plan", status.subject.plan.map { .string($0) } ?? .null),
            .init("stage", .string(status.stage.name)), .init("waiters", .number(status.waiters)),
            .init("milliseconds", .number(Int(max(0, now - status.started) / 1_000_000))),
            .init("received", status.received.map { .number($0) } ?? .null),
            .init("expected", status.expected.map { .number($0) } ?? .null),
        ])
    }
}

extension FlightStage {
    fileprivate var name: String {
        switch self {
        case .starting: "starting"
        case .disk: "disk"
        case .original: "original"
        case .transfer: "transfer"
        case .transform: "transform"
        }
    }
}
