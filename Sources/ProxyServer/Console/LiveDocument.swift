import AdminPages
import HTTPKit
import ImagePipeline

/// A reading as JSON, for scripts: numbers to draw, and the fragments of the page.
enum LiveDocument {
    /// The longest text of a plan, in characters.
    private static let longestPlan = 120

    /// The JSON object.
    static func json(_ reading: LiveReading) -> JSONValue {
        let counts = reading.statistics
        return .object([
            .init("now", .number(milliseconds(reading.now))),
            .init("version", .string(counts.version)),
            .init("requests", .object(counts.metrics.requests.values.map { .init($0.0, .number($0.1)) })),
            .init("bytes", .number(Int(clamping: counts.metrics.responseBytes.value))),
            .init("inFlight", .number(Int(counts.metrics.inFlight.value))),
            .init("connections", .number(Int(counts.server.openConnections))),
            .init("queued", .number(counts.workers.queuedMilliseconds)),
            .init("wait", .number(counts.workers.predictedWait)),
            .init("lanes", .array(reading.lanes.map(lane))),
            .init(
                "html",
                .object(LiveFragments(reading: reading).all.map { .init($0.id, .string($0.html.text)) })
            ),
        ])
    }

    /// The plans of a job in one line.
    static func plans(_ title: JobTitle) -> String {
        let text = title.plans.joined(separator: ", ")
        return text.count > longestPlan ? text.prefix(longestPlan - 1) + ShownTarget.hidden : text
    }

    /// A lane: of each run the start and the end in milliseconds, `null` while it runs, and what it makes.
    private static func lane(_ lane: WorkerLane) -> JSONValue {
        .array(
            lane.runs.map { run in
                .array([
                    .number(milliseconds(run.start)), run.end.map { .number(milliseconds($0)) } ?? .null,
                    .string(ShownTarget.original(source: run.title.source, url: run.title.url)),
                ])
            }
        )
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Int { Int(nanoseconds / 1_000_000) }
}
