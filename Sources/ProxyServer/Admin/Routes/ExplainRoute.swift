import HTTPKit
import ImagePlan
import LinuxSystem

/// `GET /explain?path=…`: shows how a request is resolved under the current configuration, without fetching anything.
///
/// `path` is percent-encoded, including its query; `accept` is the client's `Accept` field; `header` is another field of the client,
/// as `Name: value`; `format` is `json` or `text`; `site` names a site, which otherwise the host of a full URL or the beginning of
/// the path selects; `all=1` includes defaults. For a request that would be refused, the member `problem` has the error.
struct ExplainRoute: AdminRoute {
    let live: LiveConfiguration
    let time: any TimeSource

    private static let parameters = ["path", "accept", "header", "format", "all", "site"]

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let values = try ExplainRoute.values(request.query, Self.parameters)
            guard let path = values["path"] else {
                throw Problem(
                    400,
                    "path= is missing: the percent-encoded path and query of the request to explain.",
                    parameter: "path"
                )
            }
            let isText = try ExplainRoute.isText(values["format"])
            let fields = try ClientFields.parse(values["header"].map { [$0] } ?? [], parameter: "header")
            let place = try ExplainedSite(path, named: values["site"], in: live.loaded)
            var whole = try place.explainer(time).explain(place.target, accept: values["accept"], fields: fields)
            whole.target = path
            let explanation = try ExplainRoute.isAll(values["all"]) ? whole : whole.withoutDefaults
            return .now(isText ? .admin(explanation.text) : .admin(explanation.json))
        } catch {
            return .now(Response(error))
        }
    }

    /// The parameters, each at most once.
    ///
    /// An unknown one is most likely part of a path that was not encoded.
    static func values(_ query: [UInt8], _ parameters: [String]) throws(Problem) -> [String: String] {
        var values: [String: String] = [:]
        do throws(RequestError) {
            for pair in try QueryPair.split(query) {
                guard parameters.contains(pair.name) else {
                    throw RequestError(
                        parameter: pair.name,
                        reason: "is not a known parameter; percent-encode the path's own query, & as %26"
                            + NearestName.hint(pair.name, among: parameters)
                    )
                }
                guard values.updateValue(pair.value ?? "", forKey: pair.name) == nil else {
                    throw RequestError(parameter: pair.name, reason: "is given more than once")
                }
            }
        } catch {
            throw Problem(error)
        }
        return values
    }

    private static func isAll(_ all: String?) throws(Problem) -> Bool {
        switch all {
        case nil, "0": false
        case "1": true
        default: throw Problem(400, "all: must be 0 or 1", parameter: "all")
        }
    }

    private static func isText(_ format: String?) throws(Problem) -> Bool {
        switch format {
        case nil, "json": false
        case "text": true
        default: throw Problem(400, "format: must be json or text", parameter: "format")
        }
    }
}
