import HTTPKit
import ImagePipeline
import LinuxSystem

/// The admin listener: finds the route, asks for the token, and lets the route answer (contract: Admin listener).
struct AdminHandler: RequestHandler {
    /// The bearer token that counts now; empty where the listener is open to whoever reaches it.
    private let token: @Sendable () -> Secret
    /// Whether a Unix socket needs no token.
    private let trustsSocket: Bool
    private let table: RouteTable<any AdminRoute>

    /// Serves routes.
    ///
    /// - Parameters:
    ///   - token: read with each request, as a reload may change it.
    ///   - trustsSocket: whether a Unix socket needs no token: its file's mode says who may use it.
    ///   - routes: method, path and route; of several that match, the first.
    init(
        token: @escaping @Sendable () -> Secret,
        trustsSocket: Bool,
        routes: [(HTTPMethod, String, any AdminRoute)]
    ) {
        self.token = token
        self.trustsSocket = trustsSocket
        var table = RouteTable<any AdminRoute>()
        for (method, path, route) in routes { table.add(method, path, route) }
        self.table = table
    }

    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
        let match = table.match(head, bytes)
        if let refusal = refusal(of: match, head, bytes, context.peer) { return .now(refusal) }
        guard case .route(let route, _) = match else { return .now(Self.notFound) }
        return answer(by: route, head, bytes, context)
    }

    func refusal(of head: borrowing RequestHead, bytes: Span<UInt8>, loop: Int, peer: PeerAddress) -> Response? {
        refusal(of: table.match(head, bytes), head, bytes, peer)
    }

    /// Why a request gets no route's answer; `nil` where it gets one.
    private func refusal(
        of match: RouteTable<any AdminRoute>.Match,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ peer: PeerAddress
    ) -> Response? {
        if case .route(let route, _) = match, route.isOpen { return nil }
        // Before anything is said about paths: who has no token learns nothing.
        let credentials = BearerCredentials(head, bytes)
        let token = token()
        if !credentials.matches(token) {
            let isTrusted = trustsSocket && peer.family == .unix
            guard token.isEmpty || isTrusted else { return Self.unauthorized }
            // Without a token a web page that somebody here looks at could ask in their name.
            guard !BrowserRequest(head, bytes).isOfAnotherSite else { return Self.foreign }
        }
        switch match {
        case .route: return nil
        case .methodNotAllowed(let allow):
            return Response(Problem(405, "Only \(allow) can be used here.", allow: allow))
        case .notFound: return Self.notFound
        }
    }

    func reject(_ rejection: RequestRejection) -> Response { Response(Problem(rejection), closes: true) }

    private func answer(
        by route: any AdminRoute,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext
    ) -> Reply {
        let query = head.query(in: bytes).map { bytes.copy($0) } ?? []
        let request = AdminRequest(query: query, body: context.body, peer: context.peer)
        switch route.answer(request) {
        case .now(let response): return .now(response)
        case .later(let start):
            let promise = context.promise()
            start { promise.complete($0) }
            return .later
        }
    }

    private static let notFound = Response(Problem(404, "There is nothing here."))

    private static let foreign = Response(
        Problem(
            403,
            "The request comes from a page of another site, or its Host is neither an address nor localhost; with "
                + "admin.token both are allowed."
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
