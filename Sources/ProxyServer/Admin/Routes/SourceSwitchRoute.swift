import ImagePipeline
import HTTPKit
import ImagePlan
import Logging
import OriginTransfer

/// `POST /sources/NAME/suspend`, `/offline` and `/resume`: stops and restarts requests to a source's origin (SDWebImage:
/// `SDWebImageDownloader.suspended`, `FromCacheOnly`).
///
/// Meanwhile stored responses are served, also stale ones; what is not stored is 503 while the source is suspended, and 504 while
/// it is offline. A restart resumes all sources, a reload does not.
struct SourceSwitchRoute: AdminRoute {
    let suspended: SuspendedSources
    let transfers: TransferEngine
    let live: LiveConfiguration
    let logger: Logger

    private enum Action: String, CaseIterable {
        case suspend, offline, resume

        var mode: SuspendedSources.Mode? {
            switch self {
            case .suspend: .suspended
            case .offline: .offline
            case .resume: nil
            }
        }

        /// What happens to the source, for the log.
        var verb: String {
            switch self {
            case .suspend: "suspended"
            case .offline: "taken offline"
            case .resume: "resumed"
            }
        }
    }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let (source, action) = try parse(request.rest)
            let changes = suspended.set(source, to: action.mode)
            switch action {
            case .suspend, .offline: transfers.endWaiting(of: source)
            // The operator knows that the origin is back.
            case .resume: transfers.closeBreakers(of: source)
            }
            if changes {
                logger.notice("source \(action.verb)", metadata: ["source": "\(source)", "by": "\(request.peer)"])
            }
            let isOffline = suspended.offline(in: live.current).contains(source)
            if action == .resume, !changes, isOffline {
                throw Problem(409, "The configuration keeps this source offline (offline); change it and reload.")
            }
            return .now(
                .admin(
                    .object([
                        .init("source", .string(source)), .init("suspended", .bool(action == .suspend)),
                        .init("offline", .bool(isOffline)),
                    ])
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
            throw Problem(
                404,
                "Use POST /sources/NAME/suspend, /sources/NAME/offline or /sources/NAME/resume; SITE/NAME for a site's source."
            )
        }
        let names = live.current.allRules.map(\.name)
        guard names.contains(parts[0]) else {
            throw Problem(404, "There is no source '\(parts[0])'\(NearestName.sentenceEnd(parts[0], among: names))")
        }
        guard let action = Action(rawValue: parts[1]) else {
            let hint = NearestName.sentenceEnd(parts[1], among: Action.allCases.map(\.rawValue))
            throw Problem(404, "A source has suspend, offline and resume, but not '\(parts[1])'\(hint)")
        }
        return (parts[0], action)
    }
}

extension SuspendedSources {
    /// The sources that are offline, by order or by configuration, sorted; a suspended one is not.
    func offline(in configuration: Configuration) -> [String] {
        configuration.allRules.filter { (mode(of: $0.name) ?? ($0.isOffline ? .offline : nil)) == .offline }.map(\.name)
            .sorted()
    }
}
