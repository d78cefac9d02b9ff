import AdminPages
import HTTPKit
import LinuxSystem

/// `GET /assets/NAME`: a file of the web application.
struct AssetRoute: AdminRoute {
    /// The name of the only file; `nil` for all, which need the token.
    var name: String?

    var isOpen: Bool { name != nil }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard let file = AdminPages.file(name ?? request.rest) else {
            return .now(Response(Problem(404, "Not found.")))
        }
        return .now(.file(file, condition: request.fields["if-none-match"]))
    }

    /// The routes of all files; those that are sent without a token come first.
    static var all: [(HTTPMethod, String, any AdminRoute)] {
        var routes: [(HTTPMethod, String, any AdminRoute)] = []
        for name in AdminPages.names where AdminPages.file(name)?.isOpen ?? false {
            routes.append((.get, "/assets/\(name)", AssetRoute(name: name)))
        }
        routes.append((.get, "/assets/*", AssetRoute()))
        return routes
    }
}

/// `GET /login`: the page that asks for the token.
struct SignInRoute: AdminRoute {
    let token: @Sendable () -> Secret
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer {
        if token().isEmpty || request.hasSession { return .now(.redirection(to: "/")) }
        return .now(SignInPage.response(next: "/", status: 200))
    }
}

/// `POST /login`: starts a session if the form has the token.
struct StartSessionRoute: AdminRoute {
    let token: @Sendable () -> Secret
    let session: AdminSession
    let isOpen = true

    func destination(_ query: [UInt8]) -> BodyDestination? { .memory(limit: 8 << 10) }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let form = FormFields(request.body)
        let token = token()
        let next = SignInPage.pagePath(form["next"])
        guard !token.isEmpty else { return .now(.redirection(to: next)) }
        guard request.isOfOwnPage else {
            let error = "The form was not sent from this page. A proxy in front must pass on Host."
            return .now(SignInPage.response(next: next, error: error, status: 403))
        }
        guard token.matches(Array(form["token"].utf8)) else {
            return .now(SignInPage.response(next: next, error: "The token is wrong.", status: 401))
        }
        return .now(.redirection(to: next, cookie: session.cookie(token: token, isSecure: request.isSecure)))
    }
}

/// `POST /logout`: ends all sessions.
struct EndSessionRoute: AdminRoute {
    let session: AdminSession

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .now(.redirection(to: "/login", cookie: session.end(isSecure: request.isSecure)))
    }
}
