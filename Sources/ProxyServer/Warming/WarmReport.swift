import HTTPCache

/// The progress of a warm job, as it is reported.
struct WarmReport: Sendable {
    var job: JobStore.Job
    /// The first targets that failed, with the reasons.
    var failures: [Failure] = []

    /// A target that failed.
    struct Failure: Sendable, Hashable {
        var target: String
        var reason: String
    }

    /// The maximum number of failures that are reported.
    static let mostFailures = 20

    /// The JSON object of `GET /warm/ID`.
    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .number(Int(job.id))), .init("state", .string("\(job.state)")),
            .init("total", .number(job.total)), .init("done", .number(job.done)),
            .init("skipped", .number(job.skipped)), .init("failed", .number(job.failed)),
            .init("created", .string(Explainer.date(job.created))),
        ]
        if let ended = job.ended { members.append(.init("ended", .string(Explainer.date(ended)))) }
        if !failures.isEmpty {
            let list = failures.map { failure in
                JSONValue.object([.init("target", .string(failure.target)), .init("reason", .string(failure.reason))])
            }
            members.append(.init("failures", .array(list)))
        }
        return .object(members)
    }

    /// An event of the stream (HTML Living Standard, "Server-sent events").
    var event: String { "event: \(job.state == .running ? "progress" : "end")\ndata: \(json.text)\n\n" }
}
