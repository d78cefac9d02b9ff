import HTTPKit

/// What the admin listener answers: health, readiness, metrics (contract: Admin listener).
struct AdminHandler: RequestHandler {
    /// The bearer token that counts now; empty where the listener is open to whoever reaches it.
    let token: @Sendable () -> Secret
    /// Whether traffic is welcome: not while starting or draining.
    let isReady: @Sendable () -> Bool
    /// The Prometheus text.
    let metrics: @Sendable () -> String

    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
        guard head.method == .get || head.method == .head else {
            return .now(Response(Problem(405, "Only GET and HEAD are served here.", allow: "GET, HEAD")))
        }
        let path = String(
            decoding: Self.copy(head.pathAndQuery, of: bytes).prefix { $0 != UInt8(ascii: "?") },
            as: UTF8.self
        )
        switch path {
        // Open without a token: a load balancer has none, and they tell nothing.
        case "/healthz": return .now(Self.text("ok\n"))
        case "/readyz": return .now(isReady() ? Self.text("ready\n") : Self.text("not ready\n", status: 503))
        default: break
        }
        guard isAuthorized(head, bytes) else { return .now(Self.unauthorized) }
        switch path {
        case "/metrics":
            return .now(Self.text(metrics(), type: "text/plain; version=0.0.4; charset=utf-8"))
        default:
            return .now(Response(Problem(404, "There is nothing here.")))
        }
    }

    func reject(_ rejection: RequestRejection) -> Response { Response(Problem(rejection), closes: true) }

    private func isAuthorized(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        let token = token()
        guard !token.isEmpty else { return true }
        guard let value = head.value(of: .authorization) else { return false }
        let given = Self.copy(value, of: bytes)
        // RFC 9110 §11.1: the scheme is compared without case.
        let scheme = String(decoding: given.prefix(7), as: UTF8.self)
        return scheme.lowercased() == "bearer " && token.matches(given.dropFirst(7))
    }

    private static let unauthorized: Response = {
        var response = Response(Problem(401, "The admin token is missing or wrong."))
        var block = FieldBlock()
        block.append("WWW-Authenticate", "Bearer")
        response.dynamicFields = block.bytes
        return response
    }()

    private static func copy(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        for index in range { result.append(bytes[index]) }
        return result
    }

    private static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: UInt16 = 200)
        -> Response
    {
        var response = Response(status: status)
        var block = FieldBlock()
        block.append("Content-Type", type)
        block.append("Cache-Control", "no-store")
        response.fields = block.bytes
        let bytes = Array(text.utf8)
        response.body = .bytes(bytes, 0..<bytes.count)
        return response
    }
}
