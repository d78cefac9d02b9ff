import HTTPCache
import HTTPKit
import ImagePipeline
import OriginTransfer

/// `GET /negative`: lists the cached failures, those with the longest remaining lifetime first.
struct NegativeRoute: AdminRoute {
    let pipeline: Pipeline

    /// The maximum number of listed failures.
    private static let limit = 1_000

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let entries = pipeline.failures.list(limit: Self.limit).map { failure in
            let problem = Problem(failure.error)
            return JSONValue.object([
                .init("source", .string(failure.source)), .init("url", .string(failure.url)),
                .init("plan", failure.plan.map { .string($0) } ?? .null),
                .init("class", .string(failure.kind.rawValue)),
                .init("work", failure.work.map { .string($0) } ?? .null),
                .init("status", .number(Int(problem.status))), .init("detail", .string(problem.detail)),
                .init("failures", .number(failure.failures)), .init("seconds", .number(Int(failure.secondsLeft))),
                .init("trying", .bool(failure.isBeingTried)),
            ])
        }
        let total = pipeline.failures.statistics.entries
        return .now(.admin(.object([.init("total", .number(total)), .init("entries", .array(entries))])))
    }
}

/// `DELETE /negative`, `DELETE /negative?url=…`, `?source=…`, each with `site=…` for one site: removes cached failures, so that the
/// next request tries again.
///
/// Responds with the number of removed failures. SDWebImage: `removeFailedURL`, `removeAllFailedURLs`.
///
/// Closes the circuit breakers, too, of the source or of all.
struct ForgetFailuresRoute: AdminRoute {
    let pipeline: Pipeline
    let transfers: TransferEngine
    let purger: Purger

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let target = try Self.target(request)
            let scope = try PurgeRights.all.scope(request.parameter("site"))
            let selection = try purger.selection(of: target, in: scope)
            switch target {
            case .all where scope == nil: transfers.closeBreakers()
            case .source(let source):
                transfers.closeBreakers(of: CacheNamespace.source(source, in: scope ?? ""))
            default: break
            }
            let count = pipeline.failures.remove(selection)
            if count == 0, let problem = purger.unknown(selection) { throw problem }
            return .now(.admin(.object([.init("forgotten", .number(count))])))
        } catch {
            return .now(Response(error))
        }
    }

    private static func target(_ request: AdminRequest) throws(Problem) -> PurgeOrder.Target {
        guard !request.query.isEmpty else { return .all }
        let names = [request.parameter("url"), request.parameter("source")]
        if request.parameter("site") != nil, names.allSatisfy({ $0 == nil }) { return .all }
        switch (request.parameter("url"), request.parameter("source")) {
        case (let url?, nil): return .url(url)
        case (nil, let source?): return .source(source)
        default:
            throw Problem(
                400,
                "Give either url= or source=, percent-encoded, or neither to clear all failures.",
                parameter: "url"
            )
        }
    }
}

/// `POST /purge`: purges what a JSON object selects, and responds with counts.
struct PurgeRoute: AdminRoute {
    let purger: Purger
    let isForSites = true

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let order = try PurgeOrder(json: request.body)
            let site = request.site
            let rights = PurgeRights(site: site, isOperator: site == nil)
            let selection = try purger.selection(of: order, rights)
            return .later { complete in
                purger.purge(selection, order, by: "\(site.map { "site \($0)" } ?? "admin") \(request.peer)") {
                    complete($0)
                }
            }
        } catch {
            return .now(Response(error))
        }
    }
}
