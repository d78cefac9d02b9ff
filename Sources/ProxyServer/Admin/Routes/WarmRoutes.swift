import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem

/// `POST /warm`: starts a job that fills the cache; responds with 202 and its address.
struct WarmRoute: AdminRoute {
    let warmer: Warmer
    let resolver: ResolverCell
    let live: LiveConfiguration

    /// The maximum size of an order in bytes.
    private static let longest = 16 << 20

    func destination(_ query: [UInt8]) -> BodyDestination? { .memory(limit: Self.longest) }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        // Parsing a long list would block the loop.
        .later { complete in
            let isTaken = warmer.parts.pipeline.submit {
                do throws(Problem) {
                    let order = try WarmOrder(json: request.body)
                    let limit = live.current.warm.targets
                    let targets = try order.targets(at: resolver.table, limit: limit)
                    warmer.send(.add(targets) { result in complete(Self.response(result)) })
                } catch {
                    complete(Response(error))
                }
            }
            if !isTaken { complete(Response(Problem.diskQueueFull)) }
        }
    }

    private static func response(_ result: Result<JobStore.Job, Problem>) -> Response {
        switch result {
        case .failure(let problem): return Response(problem)
        case .success(let job):
            let members: [JSONValue.Member] = [
                .init("id", .number(Int(job.id))), .init("total", .number(job.total)),
            ]
            var response = Response.admin(.object(members), status: 202)
            var block = FieldBlock()
            block.append("Location", "/warm/\(job.id)")
            response.dynamicFields = block.bytes
            return response
        }
    }
}

/// `GET /warm`: lists the jobs, the newest first.
struct WarmListRoute: AdminRoute {
    let warmer: Warmer

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .now(.admin(.object([.init("jobs", .array(warmer.reports.map(\.json)))])))
    }
}

/// `GET /warm/ID`: the progress of a job, as JSON or as a stream of events.
struct WarmReportRoute: AdminRoute {
    let warmer: Warmer

    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard let id = Int64(request.rest), let report = warmer.report(id) else { return .now(Response(.noWarmJob)) }
        guard request.acceptsEvents else { return .now(.admin(report.json)) }
        guard let file = WarmStream.makeFile(), let reader = file.reader() else {
            return .now(Response(Problem(503, "There is no memory for a stream.", retryAfter: 1)))
        }
        // Forgets what the client has read.
        file.forgetRead {}
        var response = Response(status: 200)
        response.fields = EventStream.fields
        response.body = .growing(reader, offset: 0, length: nil)
        warmer.send(.watch(id, file))
        return .now(response)
    }
}

/// `DELETE /warm/ID`: cancels a job; one that has ended stays as it is.
struct WarmCancelRoute: AdminRoute {
    let warmer: Warmer

    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard let id = Int64(request.rest), warmer.report(id) != nil else { return .now(Response(.noWarmJob)) }
        return .later { complete in
            warmer.send(
                .cancel(id) { report in complete(report.map { .admin($0.json) } ?? Response(.noWarmJob)) }
            )
        }
    }
}

extension Problem {
    fileprivate static let noWarmJob = Problem(404, "There is no such warm job.")
}
