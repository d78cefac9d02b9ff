import AdminPages
import HTTPKit
import ImagePipeline
import ImagePlan

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
            .init("lanes", .array(reading.lanes.map { lane($0, reading.now) })),
            .init(
                "html",
                .object(LiveFragments(reading: reading).all.map { .init($0.id, .string($0.html.text)) })
            ),
        ])
    }

    /// The plans of a job in one line.
    static func plans(_ title: JobTitle) -> String {
        let text = title.plans.map(plan).filter { !$0.isEmpty }.joined(separator: ", ")
        return text.count > longestPlan ? text.prefix(longestPlan - 1) + ShownTarget.hidden : text
    }

    /// A plan without the version of its canonical text.
    static func plan(_ text: String) -> String {
        let (text, _) = PictureDescription.reading(text)
        let version = Plan.canonicalVersion + "?"
        return text.hasPrefix(version) ? String(text.dropFirst(version.count)) : text
    }

    /// The page draws half a minute of runs; nanoseconds.
    private static let drawn: Int64 = 31_000_000_000
    private static let longestName = 40

    /// A lane: of each run the start and the end in milliseconds, `null` while it runs, and the last segment of its original's path.
    private static func lane(_ lane: WorkerLane, _ now: Int64) -> JSONValue {
        .array(
            lane.runs.filter { $0.end.map { now - $0 < drawn } ?? true }.map { run in
                let place = ShownTarget.original(source: run.title.source, url: run.title.url)
                let name = place.split(separator: "/").last ?? ""
                return .array([
                    .number(milliseconds(run.start)), run.end.map { .number(milliseconds($0)) } ?? .null,
                    .string(String(name.prefix(longestName))),
                ])
            }
        )
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Int { Int(nanoseconds / 1_000_000) }
}
