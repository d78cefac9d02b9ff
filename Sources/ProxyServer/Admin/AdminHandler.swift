import HTTPKit
import ImagePipeline
import LinuxSystem

/// Handles requests of the admin listener: finds the route, checks the token and calls the route.
struct AdminHandler: RequestHandler {
    /// Returns the current bearer token; empty if none is required.
    private let token: @Sendable () -> Secret
    /// Returns the site that credentials belong to.
    private let site: @Sendable (BearerCredentials) -> String?
    /// The sessions of browsers; `nil` for none.
    private let session: AdminSession?
    /// Whether connections over a Unix socket need no token.
    private let trustsSocket: Bool
    private let table: RouteTable<any AdminRoute>

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - token: returns the token; called for each request, as a reload may change it.
    ///   - site: returns the site whose token a client has, or `nil`.
    ///   - session: the sessions of browsers, which have the rights of the token.
    ///   - trustsSocket: whether a Unix socket needs no token, because its file mode restricts who can connect.
    ///   - pages: the routes of the web application.
    ///   - playground: further routes, after the others.
    ///   - routes: method, path and route; the first match is used. `/openapi.json` describes all of them.
    init(
        token: @escaping @Sendable () -> Secret,
        site: @escaping @Sendable (BearerCredentials) -> String? = { _ in nil },
        session: AdminSession? = nil,
        trustsSocket: Bool,
        pages: [(HTTPMethod, String, any AdminRoute)] = [],
        playground: [(HTTPMethod, String, any AdminRoute)] = [],
        routes: [(HTTPMethod, String, any AdminRoute)]
    ) {
        self.token = token
        self.site = site
        self.session = session
        self.trustsSocket = trustsSocket
        var table = RouteTable<any AdminRoute>()
        let all = pages + routes + playground
        for (method, path, route) in all { table.add(method, path, route) }
        table.add(.get, OpenAPIRoute.path, OpenAPIRoute(all))
        self.table = table
    }

    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
        let match = table.match(head, bytes)
        if let refusal = refusal(of: match, head, bytes, context.peer) { return .now(refusal) }
        guard case .route(let route, let rest) = match else { return .now(Self.notFound) }
        return answer(by: route, rest, head, bytes, context)
    }

    func refusal(of head: borrowing RequestHead, bytes: Span<UInt8>, loop: Int, peer: PeerAddress) -> Response? {
        refusal(of: table.match(head, bytes), head, bytes, peer)
    }

    func destination(
        of head: borrowing RequestHead,
        bytes: Span<UInt8>,
        loop: Int,
        peer: PeerAddress
    ) -> BodyDestination? {
        let match = table.match(head, bytes)
        if let refusal = refusal(of: match, head, bytes, peer) {
            // Short content is read, so that the connection can stay open.
            if case .length(let length) = head.framing, length <= Self.shortContent { return nil }
            return .refused(refusal)
        }
        guard case .route(let route, _) = match else { return nil }
        return route.destination(head.query(in: bytes).map { bytes.copy($0) } ?? [])
    }

    /// The length in bytes of content that is read although its request is refused.
    private static let shortContent = 64 << 10

    /// The refusal of a request, or `nil` if its route may handle it.
    private func refusal(
        of match: RouteTable<any AdminRoute>.Match,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ peer: PeerAddress
    ) -> Response? {
        if case .route(let route, _) = match, route.isOpen { return nil }
        // Before the path is looked at: without a token a client learns nothing about routes.
        let credentials = BearerCredentials(head, bytes)
        let token = token()
        if !credentials.matches(token), site(credentials) != nil {
            guard case .route(let route, _) = match, route.isForSites else { return Self.notForSites }
        } else if !credentials.matches(token) {
            switch session?.verdict(on: head, bytes, token: token) ?? .absent {
            case .valid: return Self.refusal(of: match)
            case .foreign: return Self.otherOrigin
            case .absent: break
            }
            let isTrusted = trustsSocket && peer.family == .unix
            guard token.isEmpty || isTrusted else {
                return Self.wantsPage(head, bytes) ? SignInPage.response(to: head, bytes) : Self.unauthorized
            }
            // Without a token, a web page in a local browser could send requests here.
            guard !BrowserRequest(head, bytes).isOfAnotherSite else { return Self.foreign }
        }
        return Self.refusal(of: match)
    }

    /// The refusal of a request that no route handles.
    private static func refusal(of match: RouteTable<any AdminRoute>.Match) -> Response? {
        switch match {
        case .route: nil
        case .methodNotAllowed(let allow): Response(Problem(405, "Only \(allow) is allowed here.", allow: allow))
        case .unknownMethod(let name): Response(Problem(unknownMethod: name))
        case .notFound: notFound
        }
    }

    /// Whether a browser wants to show a page.
    private static func wantsPage(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard head.method == .get || head.method == .head else { return false }
        var wants = false
        head.forEach(.accept) { value in
            wants = wants || String(decoding: bytes.copy(value), as: UTF8.self).lowercased().contains("text/html")
        }
        return wants
    }

    func reject(_ rejection: RequestRejection) -> Response { Response(Problem(rejection), closes: true) }

    private func answer(
        by route: any AdminRoute,
        _ rest: Range<Int>,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext
    ) -> Reply {
        let query = head.query(in: bytes).map { bytes.copy($0) } ?? []
        var request = AdminRequest(query: query, body: context.body, peer: context.peer)
        let credentials = BearerCredentials(head, bytes)
        request.site = credentials.matches(token()) ? nil : site(credentials)
        request.rest = String(decoding: bytes.copy(rest), as: UTF8.self)
        for name in AdminRequest.usedFields {
            guard let value = head.value(named: name, in: bytes) else { continue }
            request.fields["\(name)"] = String(decoding: bytes.copy(value), as: UTF8.self)
        }
        let browser = BrowserRequest(head, bytes)
        (request.isOfOwnPage, request.isSecure) = (browser.isOfOwnPage, browser.isSecure)
        request.hasSession = session?.verdict(on: head, bytes, token: token()) == .valid
        if request.hasSession, let watch = session?.watch(head, bytes, token: token) { request.isStillSignedIn = watch }
        request.pushed = (context.sink as? PushedBody)?.finish()
        head.forEach(.accept) { value in
            let text = String(decoding: bytes.copy(value), as: UTF8.self).lowercased()
            if text.contains("text/event-stream") { request.acceptsEvents = true }
        }
        switch route.answer(request) {
        case .now(let response): return .now(response)
        case .later(let start):
            let promise = context.promise()
            start { promise.complete($0) }
            return .later
        }
    }

    private static let notFound = Response(Problem(404, "Not found."))

    private static let notForSites = Response(Problem(403, "The token of a site only permits purges of that site."))

    private static let foreign = Response(
        Problem(
            403,
            "The request comes from a page of another site, or its Host is neither an address nor localhost. Set "
                + "admin.token to allow both."
        )
    )

    private static let otherOrigin = Response(
        Problem(
            403,
            "The request does not come from a page of this server: Origin is not Host. A proxy in front must pass on Host."
        )
    )

    private static let unauthorized: Response = {
        var response = Response(Problem(401, "The admin token is missing or wrong."))
        var block = FieldBlock()
        block.append("WWW-Authenticate", "Bearer")
        response.dynamicFields = block.bytes
        return response
    }()
}
