import HTTPKit
import ImagePipeline

/// `GET /negative`: the failures that are remembered, those that last longest first.
struct NegativeRoute: AdminRoute {
    let pipeline: Pipeline

    /// The most that are listed.
    private static let limit = 1_000

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let entries = pipeline.failures.list(limit: Self.limit).map { failure in
            let problem = Problem(failure.error)
            return JSONValue.object([
                .init("source", .string(failure.source)), .init("url", .string(failure.url)),
                .init("plan", failure.plan.map { .string($0) } ?? .null),
                .init("class", .string(failure.kind.rawValue)),
                .init("status", .number(Int(problem.status))), .init("detail", .string(problem.detail)),
                .init("failures", .number(failure.failures)), .init("seconds", .number(Int(failure.secondsLeft))),
                .init("trying", .bool(failure.isBeingTried)),
            ])
        }
        let total = pipeline.failures.statistics.entries
        return .now(.admin(.object([.init("total", .number(total)), .init("entries", .array(entries))])))
    }
}

/// `DELETE /negative`, `DELETE /negative?url=…`, `?source=…`: forgets failures, so that the next request tries again
/// (SDWebImage's `removeFailedURL`, `removeAllFailedURLs`); answers how many.
struct ForgetFailuresRoute: AdminRoute {
    let pipeline: Pipeline
    let purger: Purger

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let selection = try purger.selection(of: try Self.target(request))
            let count = pipeline.failures.remove(selection)
            if count == 0, let problem = purger.unknown(selection) { throw problem }
            return .now(.admin(.object([.init("forgotten", .number(count))])))
        } catch {
            return .now(Response(error))
        }
    }

    private static func target(_ request: AdminRequest) throws(Problem) -> PurgeOrder.Target {
        guard !request.query.isEmpty else { return .all }
        switch (request.parameter("url"), request.parameter("source")) {
        case (let url?, nil): return .url(url)
        case (nil, let source?): return .source(source)
        default:
            throw Problem(
                400,
                "One of url= and source= is taken, percent-encoded, or nothing for all.",
                parameter: "url"
            )
        }
    }
}

/// `POST /purge`: removes what a JSON object names; answers counts.
struct PurgeRoute: AdminRoute {
    let purger: Purger

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let order = try PurgeOrder(json: request.body)
            let selection = try purger.selection(of: order.target)
            return .later { complete in
                purger.purge(selection, order, by: "admin \(request.peer)") { complete($0) }
            }
        } catch {
            return .now(Response(error))
        }
    }
}
