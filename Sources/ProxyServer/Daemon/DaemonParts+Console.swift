import HTTPKit
import LinuxSystem

extension DaemonParts {
    /// Creates the routes of the admin listener's pages.
    ///
    /// - Parameters:
    ///   - api: the routes of the API that the forms are carried out by.
    ///   - reader: reads what the pages show.
    static func console(
        _ api: FormTargets,
        _ reader: LiveReader,
        _ events: EventHub,
        _ session: AdminSession
    ) -> [(HTTPMethod, String, any AdminRoute)] {
        let token: @Sendable () -> Secret = { [live = reader.statistics.live] in live.current.admin.token }
        let notices = Notices()
        let pages: [(HTTPMethod, String, any AdminRoute)] = [
            (.get, "/", LivePageRoute(reader: reader, notices: notices)),
            (.get, "/live", LiveStreamRoute(reader: reader, hub: events)),
            (.get, "/login", SignInRoute(token: token)),
            (.post, "/login", StartSessionRoute(token: token, session: session)),
            (.post, "/logout", EndSessionRoute(session: session)),
        ]
        return pages + AssetRoute.all + FormRoute.all(api, notices)
    }
}
