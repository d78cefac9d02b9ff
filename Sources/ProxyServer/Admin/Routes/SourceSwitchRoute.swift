import ImagePipeline
import HTTPKit
import ImagePlan
import Logging
import OriginTransfer

/// `POST /sources/NAME/suspend` and `POST /sources/NAME/resume`: stops and restarts requests to a source's origin (SDWebImage:
/// `SDWebImageDownloader.suspended`).
///
/// While a source is suspended, stored responses are served, also stale ones; what is not stored is 503. A restart resumes all
/// sources, a reload keeps them suspended.
struct SourceSwitchRoute: AdminRoute {
    let suspended: SuspendedSources
    let transfers: TransferEngine
    let live: LiveConfiguration
    let logger: Logger

    private enum Action: String, CaseIterable {
        case suspend, resume
    }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let (source, action) = try parse(request.rest)
            let changes = suspended.set(source, isSuspended: action == .suspend)
            switch action {
            case .suspend: transfers.endWaiting(of: source)
            // The operator knows that the origin is back.
            case .resume: transfers.closeBreakers(of: source)
            }
            if changes {
                let verb = action == .suspend ? "suspended" : "resumed"
                logger.notice("source \(verb)", metadata: ["source": "\(source)", "by": "\(request.peer)"])
            }
            return .now(
                .admin(
                    .object([.init("source", .string(source)), .init("suspended", .bool(action == .suspend))])
                )
            )
        } catch {
            return .now(Response(error))
        }
    }

    private func parse(_ rest: String) throws(Problem) -> (source: String, action: Action) {
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // A source of a site has the site's name before its own.
        if parts.count == 3 { parts = ["\(parts[0])/\(parts[1])", parts[2]] }
        guard parts.count == 2 else {
            throw Problem(404, "Use POST /sources/NAME/suspend or /sources/NAME/resume; SITE/NAME for a site's source.")
        }
        let names = live.current.allRules.map(\.name)
        guard names.contains(parts[0]) else {
            throw Problem(404, "There is no source '\(parts[0])'\(NearestName.hint(parts[0], among: names)).")
        }
        guard let action = Action(rawValue: parts[1]) else {
            let hint = NearestName.hint(parts[1], among: Action.allCases.map(\.rawValue))
            throw Problem(404, "A source cannot be told to '\(parts[1])'\(hint): suspend or resume.")
        }
        return (parts[0], action)
    }
}
