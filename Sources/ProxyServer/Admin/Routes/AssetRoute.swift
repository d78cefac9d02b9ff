import AdminPages
import HTTPKit

/// `GET /assets/NAME`: a file of the web application.
struct AssetRoute: AdminRoute {
    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard let file = AdminPages.file(request.rest) else { return .now(Response(Problem(404, "Not found."))) }
        return .now(.file(file, condition: request.fields["if-none-match"]))
    }
}
