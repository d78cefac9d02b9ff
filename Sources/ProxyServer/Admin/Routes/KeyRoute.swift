import HTTPKit
import ImagePlan
import LinuxSystem

/// `GET /key?url=…`: the cache key of a request, without the rest of its explanation (SDWebImage: `cacheKeyForURL:`).
///
/// `url` is the percent-encoded path and query of the request, or its full URL; `accept`, `header` and `site` are as for
/// `/explain`.
struct KeyRoute: AdminRoute {
    let live: LiveConfiguration
    let time: any TimeSource

    private static let parameters = ["url", "accept", "header", "site"]

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let values = try ExplainRoute.values(request.query, Self.parameters)
            guard let url = values["url"] else {
                throw Problem(
                    400,
                    "url= is missing: the percent-encoded path and query of the request.",
                    parameter: "url"
                )
            }
            let fields = try ClientFields.parse(values["header"].map { [$0] } ?? [], parameter: "header")
            let place = try ExplainedSite(url, named: values["site"], in: live.loaded)
            let keys = try place.explainer(time).keys(of: place.target, accept: values["accept"], fields: fields)
            return .now(.admin(keys.json))
        } catch {
            return .now(Response(error))
        }
    }
}
