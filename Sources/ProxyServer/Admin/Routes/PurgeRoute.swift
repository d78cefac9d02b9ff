import HTTPKit
import ImagePipeline

/// `POST /purge`: purges what a JSON object selects, and responds with counts.
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
