import HTTPKit
import ImagePlan
import OriginTransfer

/// A route of the admin listener.
protocol AdminRoute: Sendable {
    /// Whether the route needs no token.
    var isOpen: Bool { get }
    /// Whether the token of a site suffices, for that site.
    var isForSites: Bool { get }

    /// Chooses where the content of a request with this query goes; `nil` for memory, up to the listener's limit.
    func destination(_ query: [UInt8]) -> BodyDestination?

    /// What the route takes and answers.
    var operation: AdminOperation { get }

    /// Handles a request. Called on an event loop, so blocking work must answer later.
    func answer(_ request: AdminRequest) -> AdminAnswer
}

extension AdminRoute {
    /// Routes need the token by default.
    var isOpen: Bool { false }

    /// Routes keep content in memory by default.
    func destination(_ query: [UInt8]) -> BodyDestination? { nil }

    /// The tokens of sites permit few routes.
    var isForSites: Bool { false }
}

/// A request to the admin listener, copied out of the read buffer.
struct AdminRequest: Sendable {
    /// The raw query; empty if there is none.
    var query: [UInt8] = []
    /// The raw path after the prefix of a prefix route; empty for others.
    var rest = ""
    /// The content, decoded.
    var body: [UInt8] = []
    /// Whether the client accepts server-sent events.
    var acceptsEvents = false
    /// The client's address.
    var peer: PeerAddress
    /// The values of the header fields that routes use, by name in lower case.
    var fields: [String: String] = [:]
    /// The content, if the route chose a `PushedBody` as its destination.
    var pushed: Result<TransferBody, TransferError>?
    /// The site whose token the client has; `nil` for an operator.
    var site: String?
    /// Whether a page of this server made the request (`BrowserRequest.isOfOwnPage`).
    var isOfOwnPage = false
    /// Whether the browser uses https.
    var isSecure = false
    /// Whether the request has the cookie of a session.
    var hasSession = false
    /// Whether the session of the request goes on, for streams; true without one (any thread).
    var isStillSignedIn: @Sendable () -> Bool = { true }

    /// The header fields that are copied.
    static let usedFields: [StaticString] = ["accept", "cache-control", "etag", "if-none-match", "last-modified"]

    /// The decoded value of a query parameter, or `nil` if it is absent or malformed.
    func parameter(_ name: String) -> String? {
        (try? QueryPair.split(query))?.first { $0.name == name }?.value
    }
}

/// The result of a route.
enum AdminAnswer: Sendable {
    case now(Response)
    /// The route calls `complete` once, from any thread.
    case later(@Sendable (_ complete: @escaping @Sendable (Response) -> Void) -> Void)
}

extension Response {
    /// A response of the admin listener with `Cache-Control: no-store`.
    static func admin(_ text: String, type: String = "text/plain; charset=utf-8", status: UInt16 = 200) -> Response {
        var response = Response(status: status)
        var block = FieldBlock()
        block.append("Content-Type", type)
        block.append("Cache-Control", "no-store")
        response.fields = block.bytes
        let bytes = Array(text.utf8)
        response.body = .bytes(bytes, 0..<bytes.count)
        return response
    }

    /// A JSON response of the admin listener.
    static func admin(_ value: JSONValue, status: UInt16 = 200) -> Response {
        admin(value.text + "\n", type: "application/json", status: status)
    }
}
