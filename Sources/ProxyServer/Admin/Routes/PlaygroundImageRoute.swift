import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem

/// `GET /playground/image`: an image as the public listener would make it, with `Server-Timing`; nothing of it is stored.
///
/// Either `path` is the percent-encoded path and query of a request, or `picture` is the id of a picture that was sent here and `query`
/// the percent-encoded query of its request. `accept` is the client's `Accept` field. No signature is needed. The original of a
/// configured source is stored as usual.
struct PlaygroundImageRoute: AdminRoute {
    let pictures: PlaygroundPictures
    let pipeline: Pipeline
    let resolver: ResolverCell
    let live: LiveConfiguration
    let time: any TimeSource

    private static let parameters = ["path", "picture", "query", "accept"]
    /// The account that the work is charged to, which no client has.
    private static let account = "playground"

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let values = try ExplainRoute.values(request.query, Self.parameters)
            let resolved = try resolve(values)
            let accept = values["accept"] ?? request.fields["accept"] ?? ""
            let variant = resolved.variant(for: FormatBucket(accept: Array(accept.utf8).span))
            return .later { complete in
                var context = LoadContext()
                context.account = Self.account
                context.isTimed = true
                context.deadline = variant.deadline(from: time.monotonic)
                pipeline.load(variant, context) { complete(Self.response($0)) }
            }
        } catch {
            return .now(Response(error))
        }
    }

    private func resolve(_ values: [String: String]) throws(Problem) -> ResolvedRequest {
        switch (values["path"], values["picture"]) {
        case (let path?, nil):
            guard values["query"] == nil else {
                throw Problem(400, "query belongs to picture; a path has its own.", parameter: "query")
            }
            guard path.hasPrefix("/") else {
                throw Problem(400, "path must begin with a slash.", parameter: "path")
            }
            let place = try resolver.table.place(of: path, named: nil)
            let own = place.site.resolver.withoutVariants
            // Refuses what the public listener does, such as a fragment.
            let target = try ExplainedTarget(place.target, accept: nil).bytes
            guard own.rawRule(of: target) == nil else {
                throw Problem(400, "The path belongs to a raw source, which has no images.", parameter: "path")
            }
            return try own.resolve(target)
        case (nil, let id?):
            guard let data = pictures.picture(id) else {
                throw Problem(
                    404,
                    "There is no such picture any more; pictures are kept for 10 minutes.",
                    parameter: "picture"
                )
            }
            let standard = resolver.table.standard.resolver.withoutVariants
            return try standard.picture(data, of: live.current.playgroundRule, query: values["query"] ?? "")
        case (nil, nil): throw Problem(400, "path= or picture= is missing.", parameter: "path")
        case (_?, _?): throw Problem(400, "path cannot be combined with picture.", parameter: "picture")
        }
    }

    private static func response(_ result: Result<Answer, PipelineError>) -> Response {
        switch result {
        case .failure(let error):
            var problem = Problem(error)
            // The next try may be of another picture with the same name.
            problem.lifetime = nil
            return Response(problem)
        case .success(let answer):
            let timing = ServerTimingField.bytes(answer.timings)
            var response = EntityResponse.whole(answer.entity, dynamic: timing, age: nil, tag: 0)
            var block = FieldBlock()
            block.append("Content-Type", answer.entity.description.mediaType)
            if let coding = answer.entity.description.contentCoding { block.append("Content-Encoding", coding) }
            block.append("Cache-Control", "no-store")
            block.append("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
            block.append("Cross-Origin-Resource-Policy", "same-origin")
            block.append("X-Content-Type-Options", "nosniff")
            response.fields = block.bytes
            return response
        }
    }
}

extension RequestResolver {
    /// The same without signatures and other permissions, and without storage of variants, which the playground makes by the dozen.
    fileprivate var withoutVariants: RequestResolver {
        var resolver = withoutPermission
        resolver.variantTiers = CacheTiers.none
        return resolver
    }

    /// Resolves a query for a picture that belongs to no configured source.
    fileprivate func picture(
        _ data: DataURL,
        of rule: SourceRule,
        query: String
    ) throws(Problem) -> ResolvedRequest {
        var entry = table.remote
        entry.rule = rule
        entry.options.takesURL = false
        entry.options.unsigned = nil
        entry.options.sourcePreset = nil
        entry.options.query = QueryFilter(forward: [], ignore: [])
        let parsed = try parse(OwnTarget(path: [], query: Array(query.utf8)), entry.options)
        return try request(OriginRequest(source: rule, data: data), parsed, RuledSource(entry: entry))
    }
}
